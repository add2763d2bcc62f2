"""Commands about accounts as sacctmgr sends them, for tests of what the daemons make of them.

    site = Site(cluster)
    site.add("account", "lab", Parent="physics")
    site.add("user", "alice", where={"Account": "lab"}, MaxJobs=2)

The numbers are those of src/wire/accounts.h."""
from dataclasses import dataclass

from raw_client import RawClient, controller_socket, message

VERBS = "show add modify remove".split()
ENTITIES = "cluster account user coordinator association qos tres wckey resource event transaction problem".split()
PROBLEMS = ("none denied version_changed unknown_key bad_value missing unknown_cluster unknown_account unknown_user "
            "unknown_qos unknown_wckey unknown_resource unknown_association unknown_job exists same_value "
            "default_account jobs_active has_children is_root in_use own_child defined_in_file too_many not_supported "
            "failed").split()


@dataclass
class Reply:
    fields: dict

    @property
    def committed(self):
        return bool(self.fields.get(2, [0])[0])

    @property
    def version(self):
        return self.fields.get(1, [0])[0]

    @property
    def refusal(self):
        """(problem, name, detail), or None."""
        return self._note(self.fields[3][0]) if 3 in self.fields else None

    @property
    def notes(self):
        return [self._note(note) for note in self.fields.get(4, [])]

    @property
    def rows(self):
        """The rows as (place in wire::AccountsRow, bytes)."""
        return self.fields.get(6, [])

    def _note(self, data):
        from raw_client import decode
        fields = decode(data)
        text = [fields.get(n, [b""])[0].decode() for n in (3, 4)]
        return (PROBLEMS[fields.get(1, [0])[0]], *text)


class Site:
    def __init__(self, cluster, user=None):
        self.cluster, self.user = cluster, user

    def ask(self, verb, entity, where=None, settings=None, dry_run=False, expected=None):
        body = [(1, VERBS.index(verb)), (2, ENTITIES.index(entity))]
        body = [(n, v) for n, v in body if v or n == 1]
        for key, values in (where or {}).items():
            values = values.split(",") if isinstance(values, str) else values
            body.append((3, message((1, key), *((2, value) for value in values))))
        for key, value in (settings or {}).items():
            how = 0
            if key.endswith("+") or key.endswith("-"):
                how, key = 1 + (key[-1] == "-"), key[:-1]
            parts = [(1, key)] + ([(2, how)] if how else []) + ([(3, str(value))] if str(value) else [])
            body.append((4, message(*parts)))
        if dry_run:
            body.append((5, 1))
        if expected is not None:
            body.append((6, expected))
        # The default of `entity` is association.
        if ENTITIES.index(entity) == 0:
            body.append((2, 0))
        with RawClient(controller_socket(self.cluster), self.user) as client:
            client.read_hello()
            name, fields = client.ask("Accounts", message(*body))
        assert name == "Accounts", (name, fields)
        return Reply(fields)

    def must(self, *args, **options):
        reply = self.ask(*args, **options)
        assert reply.committed, (args, options, reply.refusal, reply.notes)
        return reply

    def add(self, entity, names, where=None, **settings):
        return self.must("add", entity, {"Name": names, **(where or {})}, settings)

    def modify(self, entity, names, where=None, **settings):
        return self.must("modify", entity, {"Name": names, **(where or {})}, settings)

    def remove(self, entity, names, where=None):
        return self.must("remove", entity, {"Name": names, **(where or {})})
