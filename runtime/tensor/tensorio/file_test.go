package tensorio

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReadFile: a file is read whole, and of what has no size no more than the limit.
func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(name, []byte("12345"), 0o666); err != nil {
		t.Fatal(err)
	}
	const endless = "/dev/zero"
	for file, want := range map[string]string{name: "", endless: "zero is no file, and has more than 3 bytes: want a file"} {
		f, err := os.Open(file)
		if err != nil && file == endless {
			continue // no Unix
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := readFile(f, 3)
		f.Close()
		if want == "" && (err != nil || string(b) != "12345") || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got %q, %v, want %s", file, b, err, want)
		}
	}
}
