// sinfo: nodes and partitions in, text out, to the character.
#include <gtest/gtest.h>

#include <initializer_list>

#include "base/text/duration.h"
#include "cli/sinfo/list.h"

namespace muster::cli {
namespace {

// Four nodes of eight CPUs in the partitions of the acceptance clusters.
struct ClusterBuilder {
  std::vector<Node> nodes;
  std::vector<Partition> partitions;

  explicit ClusterBuilder(std::uint32_t count = 4) {
    for (std::uint32_t i = 0; i < count; ++i) {
      Node node;
      node.id = NodeId{i};
      node.config.name = "n" + std::to_string(i + 1);
      node.config.hostname = "vm";
      node.config.address = "127.0.0.1";
      node.config.cpus = node.config.cores_per_socket = 8;
      node.config.memory_mib = 16000;
      node.config.gres_text = "gpu:v100:4";
      node.config.gres = {{"gpu", "v100", 4, IdSet::range(0, 3), {}}};
      node.health = NodeHealth::up;
      node.responding = true;
      nodes.push_back(node);
    }
    add("batch").is_default = true;
    add("standard");
    add("short").max_time = Minutes{10};
  }
  Partition& add(std::string_view name) {
    Partition partition;
    partition.name = name;
    for (const Node& node : nodes) partition.nodes.push_back(node.id);
    partitions.push_back(partition);
    return partitions.back();
  }
  ClusterBuilder& busy(std::size_t at, std::uint32_t cpus) {
    nodes[at].used_cpus = IdSet::range(0, cpus - 1);
    nodes[at].jobs.insert(static_cast<std::uint32_t>(at) + 1);
    return *this;
  }
  ClusterBuilder& drained(std::size_t at, std::string_view reason) {
    nodes[at].drain = true;
    nodes[at].reason = reason;
    nodes[at].reason_time = from_unix_seconds(1'794'793'691);
    return *this;
  }
  wire::NodesReply build() const {
    wire::NodesReply reply;
    for (const Node& node : nodes) {
      wire::NodeView view;
      view.node = Cow<Node>(node);
      reply.nodes.push_back(view);
    }
    reply.partitions = partitions;
    return reply;
  }
};

std::string list(const ClusterBuilder& cluster, const InfoOptions& options = {}) {
  setenv("TZ", "UTC", 1);
  NodeContext context;
  auto reply = cluster.build();
  auto listing = list_nodes(reply, options, context);
  EXPECT_TRUE(listing);
  return listing ? listing->text : "";
}
InfoOptions parse(std::initializer_list<const char*> words) {
  auto options = parse_sinfo(std::vector<std::string>(words.begin(), words.end()));
  EXPECT_TRUE(options);
  return options.value_or(InfoOptions{});
}
std::string list(const ClusterBuilder& cluster, std::initializer_list<const char*> words) {
  return list(cluster, parse(words));
}

TEST(Sinfo, PrintsTheDefaultLayout) {
  EXPECT_EQ(list(ClusterBuilder()),
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
            "batch*       up   infinite      4   idle n[1-4]\n"
            "standard     up   infinite      4   idle n[1-4]\n"
            "short        up      10:00      4   idle n[1-4]\n");
}

TEST(Sinfo, OrdersStatesAsTheReferenceDoes) {
  EXPECT_EQ(list(ClusterBuilder().busy(1, 8).busy(2, 1), {"-p", "batch", "-h"}),
            "batch*       up   infinite      1    mix n3\n"
            "batch*       up   infinite      1  alloc n2\n"
            "batch*       up   infinite      2   idle n[1,4]\n");
  EXPECT_EQ(list(ClusterBuilder().busy(1, 8).drained(1, "x").drained(2, "y").busy(0, 1),
                 {"-p", "batch", "-h"}),
            "batch*       up   infinite      1   drng n2\n"
            "batch*       up   infinite      1  drain n3\n"
            "batch*       up   infinite      1    mix n1\n"
            "batch*       up   infinite      1   idle n4\n");
}

TEST(Sinfo, SummarizesPartitions) {
  EXPECT_EQ(list(ClusterBuilder().busy(1, 8).busy(2, 1), {"-s", "-p", "batch"}),
            "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST\n"
            "batch*       up   infinite          2/2/0/4 n[1-4]\n");
}

TEST(Sinfo, PrintsTheLongLayoutUnderADate) {
  ClusterBuilder cluster;
  cluster.partitions.resize(1);
  Partition& p2 = cluster.add("p2");
  p2.max_time = Minutes{2880};
  p2.min_nodes = 2;
  p2.max_nodes = 2;
  p2.root_only = true;
  p2.oversubscribe = "FORCE:2";
  p2.allow_groups = "root,daemon";
  p2.state = PartitionState::inactive;
  std::string out = list(cluster, {"-l"});
  EXPECT_EQ(
      out.substr(out.find('\n') + 1),
      "PARTITION AVAIL  TIMELIMIT   JOB_SIZE ROOT OVERSUBS     GROUPS  NODES       STATE NODELIST\n"
      "batch*       up   infinite 1-infinite   no       NO        all      4        idle n[1-4]\n"
      "p2        inact 2-00:00:00          2  yes  FORCE:2 root,daemo      4        idle n[1-4]\n");
}

TEST(Sinfo, PrintsALineForEachNodeAndPartition) {
  EXPECT_EQ(list(ClusterBuilder(2).busy(0, 3), {"-N", "-p", "batch,short"}),
            "NODELIST   NODES PARTITION STATE \n"
            "n1             1    batch* mix   \n"
            "n1             1     short mix   \n"
            "n2             1    batch* idle  \n"
            "n2             1     short idle  \n");
  std::string out = list(ClusterBuilder(1), {"-N", "-l", "-p", "batch"});
  EXPECT_EQ(out.substr(out.find('\n') + 1),
            "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE "
            "REASON              \n"
            "n1             1    batch*        idle 8       1:8:1  16000        0      1   (null) "
            "none                \n");
}

TEST(Sinfo, ListsReasons) {
  EXPECT_EQ(list(ClusterBuilder().drained(2, "a very long reason which is long"), {"-R"}),
            "REASON               USER      TIMESTAMP           NODELIST\n"
            "a very long reason w root      2026-11-16T01:48:11 n3\n");
  EXPECT_EQ(list(ClusterBuilder(), {"-R"}),
            "REASON               USER      TIMESTAMP           NODELIST\n");
}

TEST(Sinfo, WidensTheColumnOfLongPartitionNames) {
  ClusterBuilder cluster;
  cluster.partitions.resize(1);
  cluster.partitions[0].name = "averylongpartname";
  EXPECT_EQ(list(cluster),
            "PARTITION          AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
            "averylongpartname*    up   infinite      4   idle n[1-4]\n");
}

TEST(Sinfo, KeepsTheStarWhereANameIsCut) {
  EXPECT_EQ(list(ClusterBuilder(), {"-h", "-p", "batch", "-o", "%4P|%.1P|%R"}), "bat*|*|batch\n");
}

TEST(Sinfo, ShowsPartitionsWithoutAMatchingNode) {
  EXPECT_EQ(list(ClusterBuilder(), {"-n", "n99", "-h"}),
            "batch*       up   infinite      0    n/a \n"
            "standard     up   infinite      0    n/a \n"
            "short        up      10:00      0    n/a \n");
  EXPECT_EQ(list(ClusterBuilder(), {"-p", "nope"}),
            "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n");
  EXPECT_EQ(list(ClusterBuilder(), {"-h", "-t", "down", "-o", "%D"}), "0\n");
}

TEST(Sinfo, FiltersByState) {
  ClusterBuilder cluster;
  cluster.busy(0, 8).busy(1, 2).drained(0, "x").drained(2, "y");
  auto nodes = [&](const char* states) {
    return list(cluster, {"-h", "-p", "batch", "-o", "%N", "-t", states});
  };
  EXPECT_EQ(nodes("idle"), "n[3-4]\n");
  EXPECT_EQ(nodes("drain"), "n[1,3]\n");
  EXPECT_EQ(nodes("drained"), "n3\n");
  EXPECT_EQ(nodes("draining"), "n1\n");
  EXPECT_EQ(nodes("mix"), "n2\n");
  EXPECT_EQ(nodes("ALLOC"), "n[1-2]\n");
  EXPECT_EQ(nodes("idle&drain"), "n3\n");
  EXPECT_EQ(nodes("mix,drained"), "n[2-3]\n");
  auto bad = parse_node_states("bogus");
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().text.starts_with("sinfo: error: Bad state string: \"bogus\"\n"));
}

TEST(Sinfo, SaysWhichNodesDoNotAnswer) {
  ClusterBuilder cluster;
  cluster.nodes[1].responding = false;
  cluster.nodes[1].health = NodeHealth::down;
  EXPECT_EQ(list(cluster, {"-h", "-p", "batch", "-o", "%t %N"}), "down* n2\nidle n[1,3-4]\n");
  EXPECT_EQ(list(cluster, {"-h", "-p", "batch", "-d", "-o", "%N"}), "n2\n");
  EXPECT_EQ(list(cluster, {"-h", "-p", "batch", "-r", "-o", "%N"}), "n[1,3-4]\n");
}

TEST(Sinfo, JoinsPartitionsThatLookTheSame) {
  EXPECT_EQ(list(ClusterBuilder().busy(0, 3), {"-h", "-o", "%D %t"}), "1 mix\n3 idle\n");
  EXPECT_EQ(list(ClusterBuilder().busy(0, 3), {"-h", "-o", "%C"}), "3/29/0/32\n");
  EXPECT_EQ(list(ClusterBuilder(), {"-h", "-o", "%l"}), "infinite\n10:00\n");
}

TEST(Sinfo, MarksAmountsThatDiffer) {
  ClusterBuilder cluster;
  cluster.nodes[3].config.cpus = 4;
  cluster.nodes[3].config.memory_mib = 8000;
  EXPECT_EQ(list(cluster, {"-h", "-p", "batch", "-o", "%c %m %D"}), "4+ 8000+ 4\n");
  EXPECT_EQ(list(cluster, {"-h", "-e", "-p", "batch", "-o", "%c %m %D"}), "8 16000 3\n4 8000 1\n");
}

TEST(Sinfo, ShowsGresInUse) {
  ClusterBuilder cluster(2);
  cluster.busy(0, 1).nodes[0].used_gres = {{"gpu", "v100", 2, IdSet::range(0, 1)}};
  EXPECT_EQ(
      list(cluster,
           {"-h", "-N", "-p", "batch", "-O", "NodeList:5,GresUsed:|,Gres:|,StateComplete:|"}),
      "n1   gpu:v100:2(IDX:0-1)|gpu:v100:4|mixed|\nn2   gpu:v100:0(IDX:N/A)|gpu:v100:4|idle|\n");
}

TEST(Sinfo, HidesHiddenPartitions) {
  ClusterBuilder cluster;
  cluster.partitions[1].hidden = true;
  EXPECT_EQ(list(cluster, {"-h", "-o", "%P"}), "batch*\nshort\n");
  EXPECT_EQ(list(cluster, {"-h", "-a", "-o", "%P"}), "batch*\nstandard\nshort\n");
  EXPECT_EQ(list(cluster, {"-h", "-p", "standard", "-o", "%P"}), "standard\n");
}

TEST(Sinfo, SortsByWhatIsAsked) {
  EXPECT_EQ(list(ClusterBuilder(), {"-h", "-S", "P", "-o", "%P"}), "batch*\nshort\nstandard\n");
  EXPECT_EQ(list(ClusterBuilder(), {"-h", "-S", "-P", "-o", "%P"}), "standard\nshort\nbatch*\n");
  EXPECT_EQ(
      list(ClusterBuilder(11), {"-h", "-N", "-p", "batch", "-S", "-N", "-o", "%N"}).substr(0, 8),
      "n11\nn10\n");
}

TEST(Sinfo, HasEveryLetterOfTheManual) {
  for (std::string_view letters = "aAbBcCdDeEfFgGhHIlLmMnNoOpPrRsStTuUvVwXYZz";
       char letter : letters)
    EXPECT_TRUE(find_letter(node_columns(), letter)) << letter;
}

TEST(SinfoJson, HasTheReferencesTopKeys) {
  NodeContext context;
  std::string out = nodes_json(ClusterBuilder(1).busy(0, 3).build(), context);
  for (std::string_view part : {"\"meta\"", "\"errors\": []", "\"nodes\": [", "\"name\": \"n1\"",
                                "\"state\": \"mixed\"", "\"alloc_cpus\": 3", "\"idle_cpus\": 5"})
    EXPECT_NE(out.find(part), out.npos) << part;
}

}  // namespace
}  // namespace muster::cli
