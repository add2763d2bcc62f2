// The device filter of cgroup v2: a BPF program, attached to the group, that the kernel runs
// whenever a device is opened. It denies the listed devices and allows all others.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "io/cgroup/v2.h"

namespace muster::io {
namespace {

bpf_insn load_field(std::uint8_t to, std::size_t offset) {
  return {.code = BPF_LDX | BPF_MEM | BPF_W,
          .dst_reg = to,
          .src_reg = BPF_REG_1,
          .off = static_cast<std::int16_t>(offset),
          .imm = 0};
}
bpf_insn set(std::uint8_t to, std::int32_t value) {
  return {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = to, .src_reg = 0, .off = 0, .imm = value};
}
bpf_insn skip_unless_equal(std::uint8_t what, std::int32_t value, std::int16_t count) {
  return {
      .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = what, .src_reg = 0, .off = count, .imm = value};
}
bpf_insn finish() {
  return {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0};
}

std::vector<bpf_insn> program_for(const std::vector<Text>& devices) {
  std::vector<bpf_insn> code;
  code.push_back(load_field(BPF_REG_2, offsetof(bpf_cgroup_dev_ctx, access_type)));
  // The low half is the type of the device, the high half the requested access.
  code.push_back({.code = BPF_ALU64 | BPF_AND | BPF_K,
                  .dst_reg = BPF_REG_2,
                  .src_reg = 0,
                  .off = 0,
                  .imm = 0xffff});
  code.push_back(load_field(BPF_REG_3, offsetof(bpf_cgroup_dev_ctx, major)));
  code.push_back(load_field(BPF_REG_4, offsetof(bpf_cgroup_dev_ctx, minor)));
  for (const Text& device : devices) {
    struct stat info{};
    if (stat(device.str().c_str(), &info) != 0) continue;  // no such device: nothing to forbid
    const int type = S_ISBLK(info.st_mode) ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR;
    code.push_back(skip_unless_equal(BPF_REG_2, type, 4));
    code.push_back(skip_unless_equal(BPF_REG_3, static_cast<int>(major(info.st_rdev)), 3));
    code.push_back(skip_unless_equal(BPF_REG_4, static_cast<int>(minor(info.st_rdev)), 2));
    code.push_back(set(BPF_REG_0, 0));
    code.push_back(finish());
  }
  code.push_back(set(BPF_REG_0, 1));
  code.push_back(finish());
  return code;
}

int bpf(int command, bpf_attr& attributes) {
  return static_cast<int>(syscall(SYS_bpf, command, &attributes, sizeof attributes));
}

}  // namespace

Result<void> deny_devices(const std::string& group_dir, const std::vector<Text>& devices) {
  auto failed = [&](const char* what) {
    return fail(
        fmt::format("{} the device filter of {}: {}", what, group_dir, std::strerror(errno)));
  };
  const std::vector<bpf_insn> code = program_for(devices);
  bpf_attr load{};
  load.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  load.insns = reinterpret_cast<std::uint64_t>(code.data());
  load.insn_cnt = static_cast<std::uint32_t>(code.size());
  load.license = reinterpret_cast<std::uint64_t>("GPL");
  const int program = bpf(BPF_PROG_LOAD, load);
  if (program < 0) return failed("cannot load");

  const int group = open(group_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bpf_attr attach{};
  attach.target_fd = static_cast<std::uint32_t>(group);
  attach.attach_bpf_fd = static_cast<std::uint32_t>(program);
  attach.attach_type = BPF_CGROUP_DEVICE;
  attach.attach_flags = BPF_F_ALLOW_MULTI;
  Result<void> result;
  if (group < 0 || bpf(BPF_PROG_ATTACH, attach) != 0) result = failed("cannot attach");
  // The group keeps the program alive.
  close(program);
  if (group >= 0) close(group);
  return result;
}

}  // namespace muster::io
