package gobuild

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPeers: each class has a binary that is its own program, also if its name looks like a version.
func TestPeers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	src, bin := t.TempDir(), t.TempDir()
	files := map[string]string{"go.mod": "module example.com/peers\n\ngo 1.26\n"}
	classes := []string{"client", "server", "v2"}
	for _, c := range classes {
		files[c+"/main.go"] = "package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"" + c + "\") }\n"
	}
	for name, text := range files {
		name = filepath.Join(src, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := PeersIn(src, bin, ".", classes...)
	if err != nil || len(got) != len(classes) {
		t.Fatalf("got %v, %v", got, err)
	}
	for _, c := range classes {
		if out, err := exec.Command(got[c]).Output(); err != nil || string(out) != c {
			t.Errorf("the binary of class %s prints %q, %v", c, out, err)
		}
	}
}

// TestPeersFail: the error names the packages, and has the text of the compiler.
func TestPeersFail(t *testing.T) {
	const nowhere = "github.com/bbgen/bbgen/internal/gobuild/nowhere"
	_, err := Peers(t.TempDir(), nowhere, "client", "server")
	if err == nil || !strings.Contains(err.Error(), "go build "+nowhere+"/client "+nowhere+"/server: ") {
		t.Errorf("got %v", err)
	}
}

// TestNoGo: on a machine without Go, the error says where to get it.
func TestNoGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Build{Out: "x"}.Run()
	if err == nil || !strings.HasSuffix(err.Error(), "install Go 1.26 or later from https://go.dev/dl, and put it on your PATH") {
		t.Errorf("got %v", err)
	}
}
