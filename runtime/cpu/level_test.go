package cpu

import (
	"os"
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
	}{
		{AVX512, "", AVX512},
		{AVX512, "avx2", AVX2},
		{AVX512, "portable", Portable},
		{AVX2, "avx512", AVX2}, // never above the machine's level
		{Portable, "avx2", Portable},
		{AVX2, "sse9", AVX2}, // unknown names are ignored
		{AVX2, "neon", AVX2}, // and so are those of another architecture
		{NEON, "avx2", NEON},
		{NEON, "portable", Portable},
	} {
		got := startLevel(c.best, func(string) (string, bool) { return c.env, c.env != "" })
		if got != c.want {
			t.Errorf("best %v, BBGEN_CPU=%q: got %v, want %v", c.best, c.env, got, c.want)
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
