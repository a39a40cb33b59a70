package cpu

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The committed assembly, and its list of needs, are the output of the generators in _asm, byte for byte.
func TestAssemblyIsGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generators")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "_asm"), os.DirFS("_asm")); err != nil {
		t.Skip(err) // only the test binary is present
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
	for file, args := range map[string][]string{
		"amx_amd64.s":       {"./amx", "-out", "../amx_amd64.s"},
		"average_amd64.s":   {"./average", "-out", "../average_amd64.s"},
		"codec_amd64.s":     {"./codec", "-out", "../codec_amd64.s"},
		"conv_amd64.s":      {"./conv", "-out", "../conv_amd64.s"},
		"crc32c_amd64.s":    {"./crc32c", "-out", "../crc32c_amd64.s"},
		"gemm_amd64.s":      {"./gemm", "-out", "../gemm_amd64.s"},
		"half_amd64.s":      {"./half", "-out", "../half_amd64.s"},
		"int8_amd64.s":      {"./int8", "-out", "../int8_amd64.s"},
		"keystream_amd64.s": {"./keystream", "-out", "../keystream_amd64.s"},
		"nbits_amd64.s":     {"./nbits", "-out", "../nbits_amd64.s"},
		"pool_amd64.s":      {"./pool", "-out", "../pool_amd64.s"},
		"vec_amd64.s":       {"./vec", "-out", "../vec_amd64.s"},
		"needs_amd64.go":    {"./needs", "-out", "../needs_amd64.go"},
		"gemm_arm64.s":      {"./neon", "-dir", ".."},
		"vec_arm64.s":       {"./neon", "-dir", ".."},
	} {
		if out, err := run(append([]string{"run"}, args...)...); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, out)
		}
		got, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go generate in runtime/cpu", file)
		}
	}
}
