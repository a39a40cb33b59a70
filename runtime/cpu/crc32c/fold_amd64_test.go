//go:build !purego

package crc32c

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	x86 "golang.org/x/sys/cpu"

	"github.com/bbgen/bbgen/runtime/cpu"
)

// A processor may have AVX-512 without the extensions of folding, like Skylake-X: the checksum is the same.
func TestCRC32CWithoutFolding(t *testing.T) {
	defer func(old bool) { hasVPCLMUL = old }(hasVPCLMUL)
	hasVPCLMUL = false
	defer cpu.SetLevel(cpu.SetLevel(cpu.AVX512))
	if hasFold() {
		t.Fatal("checksums are computed by folding, which the processor cannot")
	}
	comparesWithStandard(t)
}

// The detection looks for each extension that the level VPCLMUL adds to AVX512, by the list that generators write.
func TestVPCLMULIsDetected(t *testing.T) {
	added := map[string]*bool{"SSE4.2": &x86.X86.HasSSE42, "VPCLMULQDQ": &x86.X86.HasAVX512VPCLMULQDQ}
	for _, e := range extensions(t, "VPCLMUL") {
		if added[e] == nil && !slices.Contains(extensions(t, "AVX512"), e) {
			t.Errorf("the level VPCLMUL needs %s, for which the detection does not look", e)
		}
	}
	defer func(old [2]bool) { x86.X86.HasSSE42, x86.X86.HasAVX512VPCLMULQDQ = old[0], old[1] }([2]bool{x86.X86.HasSSE42, x86.X86.HasAVX512VPCLMULQDQ})
	for name, has := range added {
		x86.X86.HasSSE42, x86.X86.HasAVX512VPCLMULQDQ = true, true
		if !detectVPCLMUL() {
			t.Error("a processor that has everything is detected as one without VPCLMUL")
		}
		if *has = false; detectVPCLMUL() {
			t.Errorf("a processor without %s is detected as one with VPCLMUL", name)
		}
	}
}

// extensions returns what a level needs, as package cpu knows it.
func extensions(t *testing.T, level string) []string {
	src, err := os.ReadFile("../needs_amd64.go")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the test binary is by itself: the sources are not in its folder")
	}
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`\b` + level + `: +\[\]string\{(.*)\}`).FindSubmatch(src)
	if row == nil {
		t.Fatalf("needs_amd64.go has no level %s", level)
	}
	return strings.Split(strings.ReplaceAll(string(row[1]), `"`, ""), ", ")
}
