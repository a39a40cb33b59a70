package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestAddresses shows that only the instruction cpuid is found in a listing, not names that contain it.
func TestAddresses(t *testing.T) {
	const listing = `
0000000000001000 <cpuid>:
    1000:	xor    %ecx,%ecx
    1002:	cpuid
    1004:	call   1000 <cpuid>
  7f3a10:	cpuid  
`
	got, err := addresses(strings.NewReader(listing))
	if want := []uint64{0x1002, 0x7f3a10}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %#x, %v, want %#x", got, err, want)
	}
}

// asks is a library that asks the processor for its extensions with 512 bits.
const asks = `
#include <cpuid.h>
unsigned ask(void)
{
	unsigned a, b, c, d;
	__cpuid_count(7, 0, a, b, c, d);
	return b;
}
`

// askMain prints what that library says: whether there is AVX2, and AVX-512.
const askMain = `
#include <stdio.h>
unsigned ask(void);
int main(void)
{
	unsigned b = ask();
	printf("%u %u\n", b >> 5 & 1, b >> 16 & 1);
	return 0;
}
`

// TestLimit shows that a library whose cpuid is replaced finds AVX2 as before, and no AVX-512, while the limit is
// preloaded.
func TestLimit(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the limit is for linux/amd64")
	}
	for _, tool := range []string{"cc", "objdump"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s (Debian: gcc and binutils)", tool)
		}
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(env []string, name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	library, main := filepath.Join(dir, "libask.so"), filepath.Join(dir, "main")
	run(nil, "cc", "-shared", "-fPIC", "-o", library, file("ask.c", asks))
	run(nil, "cc", "-o", main, file("main.c", askMain), library)
	before := run(nil, main)

	l, err := newLimit("no-python", dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(library); err != nil {
		t.Fatal(err)
	}
	whole := file("whole.so", string(b))
	if err := replaceAll(whole, library); err != nil {
		t.Fatal(err)
	}
	changed, err := os.ReadFile(library)
	if err != nil || bytes.Equal(b, changed) {
		t.Fatalf("the library was not changed: %v", err)
	}
	if got, want := run(l.env(), main), before[:1]+" 0\n"; got != want {
		t.Errorf("AVX2 and AVX-512 as found: %q, want %q; without the limit %q", got, want, before)
	}
}

// TestReplaceChecks shows that an address without the instruction is an error.
func TestReplaceChecks(t *testing.T) {
	b, err := os.ReadFile("/proc/self/exe")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("this system does not show programs of processes")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := replace(b, []uint64{1}); err == nil {
		t.Error("address 1 was accepted")
	}
}
