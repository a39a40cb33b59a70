package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// limit makes engines run their kernels for AVX2 on a processor that has AVX-512. They ask the processor, so their
// libraries are copied, and the instruction that asks is replaced by an invalid one. A preloaded library handles its
// signal and answers. (OpenVINO has a setting for that, but multiplies matrices by a library that does not obey it.)
type limit struct {
	packages string // a folder that Python searches first
	preload  string // the library that answers
}

//go:embed _limit/limit.c
var limitSource []byte

// cpuid is the instruction that asks the processor, and invalid the one that replaces it.
var cpuid, invalid = []byte{0x0f, 0xa2}, []byte{0x0f, 0x04}

// newLimit prepares a limit in a folder, for the packages of a Python. It needs a C compiler and objdump.
func newLimit(python, dir string) (*limit, error) {
	l := &limit{packages: filepath.Join(dir, "packages"), preload: filepath.Join(dir, "limit.so")}
	if err := os.MkdirAll(l.packages, 0o777); err != nil {
		return nil, err
	}
	source := filepath.Join(dir, "limit.c")
	if err := os.WriteFile(source, limitSource, 0o666); err != nil {
		return nil, err
	}
	if out, err := exec.Command("cc", "-O1", "-shared", "-fPIC", "-o", l.preload, source).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cc: %w\n%s", err, out)
	}
	for _, library := range []struct{ module, pattern string }{
		{"onnxruntime", "capi/onnxruntime_pybind11_state*.so"},
		{"openvino", "libs/libopenvino_intel_cpu_plugin.so"},
		{"_mnncengine", ""},
	} {
		from, err := locate(python, library.module)
		if err != nil {
			continue // not installed: its own process says so
		}
		if err := l.copy(from, library.pattern); err != nil {
			return nil, fmt.Errorf("%s: %w", library.module, err)
		}
	}
	return l, nil
}

// env returns the environment of a limited process.
func (l *limit) env() []string {
	path := l.packages
	if old := os.Getenv("PYTHONPATH"); old != "" {
		path += string(os.PathListSeparator) + old
	}
	return append(os.Environ(), "LD_PRELOAD="+l.preload, "PYTHONPATH="+path)
}

// locate returns the file or the folder of a Python module.
func locate(python, module string) (string, error) {
	code := "import importlib.util, os, sys; p = importlib.util.find_spec(sys.argv[1]).origin; print(os.path.dirname(p) if p.endswith('__init__.py') else p)"
	out, err := exec.Command(python, "-c", code, module).Output()
	return strings.TrimSpace(string(out)), err
}

// copy puts a module into the folder of packages. A module that is a library itself has no pattern. A package is a
// tree of links, but for the library that matches the pattern.
func (l *limit) copy(from, pattern string) error {
	to := filepath.Join(l.packages, filepath.Base(from))
	if pattern == "" {
		if err := dependencies(from, l.packages); err != nil {
			return err
		}
		return replaceAll(from, to)
	}
	found, err := filepath.Glob(filepath.Join(from, pattern))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%d files match %s in %s, want 1", len(found), pattern, from)
	}
	if err := links(from, to); err != nil {
		return err
	}
	library, err := filepath.Rel(from, found[0])
	if err != nil {
		return err
	}
	folder := filepath.Dir(filepath.Join(to, library))
	if err := os.Remove(folder); err != nil { // the link
		return err
	}
	if err := links(filepath.Dir(found[0]), folder); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(to, library)); err != nil {
		return err
	}
	return replaceAll(found[0], filepath.Join(to, library))
}

// dependencies links the folders of libraries beside a library, NAME.libs, where wheels have those that it needs.
func dependencies(library, to string) error {
	found, err := filepath.Glob(filepath.Join(filepath.Dir(library), "*.libs"))
	if err != nil {
		return err
	}
	for _, dir := range found {
		if err := os.Symlink(dir, filepath.Join(to, filepath.Base(dir))); err != nil {
			return err
		}
	}
	return nil
}

// links makes a folder with a link to each entry of another one.
func links(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// replaceAll copies a library and replaces each cpuid in it.
func replaceAll(from, to string) error {
	cmd := exec.Command("objdump", "-d", "--no-show-raw-insn", from)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	at, err := addresses(out)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("objdump: %w", err)
	}
	if err != nil {
		return err
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := replace(b, at); err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o777)
}

// addresses returns the addresses of all cpuid in a listing of objdump.
func addresses(listing io.Reader) (at []uint64, err error) {
	lines := bufio.NewScanner(listing)
	for lines.Scan() {
		address, instruction, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(instruction) != "cpuid" {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(address), 16, 64)
		if err != nil {
			return nil, err
		}
		at = append(at, n)
	}
	return at, lines.Err()
}

// replace replaces the cpuid at some addresses of a library.
func replace(library []byte, at []uint64) error {
	f, err := elf.NewFile(bytes.NewReader(library))
	if err != nil {
		return err
	}
	for _, address := range at {
		offset, err := offset(f, address)
		if err != nil {
			return err
		}
		if offset+2 > uint64(len(library)) || !bytes.Equal(library[offset:offset+2], cpuid) {
			return fmt.Errorf("there is no cpuid at %#x", address)
		}
		copy(library[offset:], invalid)
	}
	return nil
}

// offset returns where in its file an address of a library is.
func offset(f *elf.File, address uint64) (uint64, error) {
	for _, s := range f.Sections {
		if s.Type == elf.SHT_PROGBITS && s.Addr <= address && address < s.Addr+s.Size {
			return s.Offset + address - s.Addr, nil
		}
	}
	return 0, fmt.Errorf("no section holds the address %#x", address)
}
