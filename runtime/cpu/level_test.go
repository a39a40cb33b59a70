package cpu

import (
	"os"
	"strings"
	"testing"
)

// eachLevel runs f once for every level this machine has.
func eachLevel(t *testing.T, f func(t *testing.T)) {
	for _, l := range Levels() {
		t.Run(l.String(), func(t *testing.T) {
			old := SetLevel(l)
			defer SetLevel(old)
			f(t)
		})
	}
}

func TestLevelFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		best Level
		env  string
		want Level
		told string
	}{
		{AVX512, "", AVX512, ""},
		{AVX512, "avx512", AVX512, ""},
		{AVX512, "avx2", AVX2, ""},
		{AVX512, "portable", Portable, ""},
		{AVX2, "avx512", AVX2, "no such level; kernels run at avx2\n"}, // never above the machine's level
		{Portable, "avx2", Portable, "no such level; kernels run at portable\n"},
		{AVX2, "sse9", AVX2, "no such level, want avx512, avx2, neon or portable; kernels run at avx2\n"},
		{AVX2, "neon", AVX2, "no such level; kernels run at avx2\n"}, // of another architecture
		{NEON, "avx2", NEON, "no such level; kernels run at neon\n"},
		{NEON, "portable", Portable, ""},
	} {
		var told string
		got := startLevel(c.best, func(string) (string, bool) { return c.env, c.env != "" }, func(text string) { told += text })
		if got != c.want || (told == "") != (c.told == "") || !strings.HasSuffix(told, c.told) {
			t.Errorf("best %v, BBGEN_CPU=%q: got %v, and it is told %q, want %v, %q", c.best, c.env, got, told, c.want, c.told)
		}
	}
}

// An emulated processor has the level that BBGEN_TEST_LEVEL names.
func TestLevelOfEmulatedProcessor(t *testing.T) {
	want := os.Getenv("BBGEN_TEST_LEVEL")
	if want == "" {
		t.Skip("BBGEN_TEST_LEVEL is not set")
	}
	if got := bestLevel().String(); got != want {
		t.Errorf("got level %s, want %s", got, want)
	}
}
