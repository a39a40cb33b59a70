package project

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestGoBuildStops: a go build that ends while it writes the binary, as on a full disk, leaves the previous one.
func TestGoBuildStops(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the go command of this test is a shell script")
	}
	path, dir := t.TempDir(), t.TempDir()
	const script = "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\nprintf half > \"$2\"\nexit $CODE\n"
	if err := os.WriteFile(filepath.Join(path, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", path+string(filepath.ListSeparator)+os.Getenv("PATH"))
	bin := filepath.Join(dir, "bin")
	if err := os.WriteFile(bin, []byte("old"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ code, want string }{{"1", "old"}, {"0", "half"}} {
		t.Setenv("CODE", c.code)
		if err := GoBuild(dir, bin); (err != nil) != (c.code == "1") {
			t.Errorf("exit %s: got %v", c.code, err)
		}
		if b, err := os.ReadFile(bin); err != nil || string(b) != c.want {
			t.Errorf("exit %s: got %q, %v; want %q", c.code, b, err, c.want)
		}
		if got := tree(t, dir); got != "bin" {
			t.Errorf("exit %s: there are %s, want the binary alone", c.code, got)
		}
	}
}
