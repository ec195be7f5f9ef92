"""The program is hardened as SECURITY.md says: reads BIND_NOW, RELRO, PIE, stack protector, _FORTIFY_SOURCE and endbr64
from its file."""
import struct
import sys

ENDBR64 = b"\xf3\x0f\x1e\xfa"
PT_LOAD, PT_DYNAMIC, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 0x6474E551, 0x6474E552
DT_FLAGS, DT_FLAGS_1, DT_BIND_NOW = 30, 0x6FFFFFFB, 24
DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 8, 1, 0x08000000
EXECUTABLE = 1
SHT_SYMTAB, SHT_DYNSYM, STT_FUNC, STB_LOCAL = 2, 11, 2, 0
X86_64 = 62


class Elf:
    """The parts of a 64-bit little-endian ELF file that the test needs."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        assert self.bytes[:6] == b"\x7fELF\x02\x01", f"{path} is no 64-bit ELF file"
        (self.type, self.machine, _, _, program_at, sections_at, _, _, program_size, programs, section_size, sections,
         _) = struct.unpack_from("<HHIQQQIHHHHHH", self.bytes, 16)
        # type, flags, offset, address, physical address, size in the file, in memory, alignment
        self.segments = [struct.unpack_from("<IIQQQQQQ", self.bytes, program_at + i * program_size) for i in range(programs)]
        # name, type, flags, address, offset, size, link, info, alignment, size of an entry
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, sections_at + i * section_size) for i in range(sections)]

    def segment(self, kind):
        return next((segment for segment in self.segments if segment[0] == kind), None)

    def dynamic(self):
        segment = self.segment(PT_DYNAMIC)
        if segment is None:
            return {}
        return dict(struct.iter_unpack("<QQ", self.bytes[segment[2]:segment[2] + segment[5]]))

    def symbols(self, kind):
        """(name, bind, kind, defined, address) of those of a table."""
        for _, found, _, _, at, size, link, _, _, _ in self.sections:
            if found != kind:
                continue
            names = self.sections[link][4]
            for name, info, _, section, address, _ in struct.iter_unpack("<IBBHQQ", self.bytes[at:at + size]):
                end = self.bytes.index(b"\0", names + name)
                yield self.bytes[names + name:end].decode(), info >> 4, info & 15, section != 0, address

    def at(self, address, size):
        for kind, _, offset, start, _, in_file, _, _ in self.segments:
            if kind == PT_LOAD and start <= address < start + in_file:
                return self.bytes[offset + address - start:offset + address - start + size]
        return b""


def missing(path):
    elf = Elf(path)
    flags = elf.dynamic()
    now = flags.get(DT_FLAGS, 0) & DF_BIND_NOW or flags.get(DT_FLAGS_1, 0) & DF_1_NOW or DT_BIND_NOW in flags
    if not now:
        yield "BIND_NOW: its functions of libraries are looked up late, in a table that stays writable"
    if elf.segment(PT_GNU_RELRO) is None:
        yield "RELRO: its tables stay writable"
    if elf.type != 3 or not flags.get(DT_FLAGS_1, 0) & DF_1_PIE:
        yield "PIE: it always lies at the same addresses"
    stack = elf.segment(PT_GNU_STACK)
    if stack is None or stack[1] & EXECUTABLE:
        yield "NX: its stack is executable"
    imported = {name.split("@")[0] for name, _, _, defined, _ in elf.symbols(SHT_DYNSYM) if not defined}
    if "__stack_chk_fail" not in imported:
        yield "stack protector: nothing asks for __stack_chk_fail"
    if not any(name.endswith("_chk") for name in imported):
        yield "fortify: it uses no checked function of the C library"
    if elf.machine == X86_64:
        ours = [(name, address) for name, bind, kind, defined, address in elf.symbols(SHT_SYMTAB)
                if kind == STT_FUNC and bind != STB_LOCAL and defined and (name == "main" or "7sundial" in name)]
        if len(ours) < 2:
            yield "endbr64: the file has no symbols to look for it"
        without = [name for name, address in ours if elf.at(address, 4) != ENDBR64]
        if without:
            yield f"endbr64: {len(without)} of {len(ours)} functions begin without, such as {without[0]}"


if __name__ == "__main__":
    found = list(missing(sys.argv[1]))
    for line in found:
        print(f"{sys.argv[1]} lacks {line}")
    sys.exit(1 if found else 0)
