package cpu

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The committed assembly, its declarations in Go and the list of its needs are the output of the generators in _asm, byte
// for byte.
func TestAssemblyIsGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generators")
	}
	needsSources(t)
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "_asm"), os.DirFS("_asm")); err != nil {
		t.Fatal(err)
	}
	copyGo(t, dir)
	if err := os.Mkdir(filepath.Join(dir, "crc32c"), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = filepath.Join(dir, "_asm")
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=", "GOOS=", "GOARCH=")
		return cmd.CombinedOutput()
	}
	if out, err := run("list", "-deps", "./..."); err != nil {
		t.Skipf("avo is not in the module cache; run \"GOWORK=off go -C _asm mod download\" first: %v\n%s", err, out)
	}
	for _, args := range [][]string{
		{"./amx", "-out", "../amx_amd64.s"},
		{"./average", "-out", "../average_amd64.s"},
		{"./codec", "-out", "../codec_amd64.s"},
		{"./conv", "-out", "../conv_amd64.s"},
		{"./convpairs", "-out", "../convpairs_amd64.s"},
		{"./convplanes", "-out", "../convplanes_amd64.s"},
		{"./crc32c", "-out", "../crc32c/crc32c_amd64.s"},
		{"./gemm", "-out", "../gemm_amd64.s"},
		{"./half", "-out", "../half_amd64.s"},
		{"./int8", "-out", "../int8_amd64.s"},
		{"./keystream", "-out", "../keystream_amd64.s"},
		{"./nbits", "-out", "../nbits_amd64.s"},
		{"./pool", "-out", "../pool_amd64.s"},
		{"./vec", "-out", "../vec_amd64.s"},
		{"./needs", "-out", "../needs_amd64.go"},
		{"./neon", "-dir", ".."},
	} {
		if out, err := run(append([]string{"run"}, args...)...); err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
	}
	for _, pattern := range []string{"*.s", "*_kernels_*.go", "needs_*.go", "crc32c/*.s", "crc32c/*_kernels_*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			sameFile(t, file, filepath.Join(dir, file))
		}
	}
}

// copyGo copies the code of the package, whose types the generators read.
func copyGo(t *testing.T, dir string) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.Contains(file, "_kernels_") {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// sameFile compares a committed file with what a generator has written.
func sameFile(t *testing.T, file, generated string) {
	got, err := os.ReadFile(generated)
	if err != nil {
		t.Error(err)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run go generate in runtime/cpu", file)
	}
}
