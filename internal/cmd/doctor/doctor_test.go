package doctor

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckGo(t *testing.T) {
	for v, want := range map[string]string{
		"go1.26.0":                "",
		"go1.27rc1":               "",
		"go1.26.1 X:greenteagc":   "",
		"devel go1.28-0123456789": "",
		"go1.25.7":                "this is go1.25.7, want go1.26 or later: install it from https://go.dev/dl",
	} {
		if got := checkGo(v); got != want {
			t.Errorf("%s: got %q, want %q", v, got, want)
		}
	}
}

// TestModule checks modules that require bbgen, and others.
func TestModule(t *testing.T) {
	for mod, want := range map[string]string{
		"":                         "ok    no module is around here: what bbgen writes is a module of its own\n",
		"module example.com/app\n": "note  module example.com/app does not require bbgen, so it cannot import what bbgen writes: run \"bbgen init\" there\n",
		"module example.com/app\nrequire github.com/bbgen/bbgen v0.0.0\n":                                                            "ok    the module around here requires bbgen; peers talk over TLS, as it does not require libp2p's transport\n",
		"module example.com/app\nrequire github.com/bbgen/bbgen v0.0.0\nrequire github.com/bbgen/bbgen/runtime/host/libp2p v0.0.0\n": "ok    the module around here requires bbgen; peers talk over libp2p\n",
	} {
		dir := t.TempDir()
		if mod != "" {
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var out strings.Builder
		d := &examination{w: &out}
		if d.module(dir); out.String() != want || d.wrong > 0 {
			t.Errorf("%s: got %swant %s", mod, &out, want)
		}
	}
}

// TestCache: a cache that is not a folder is an error, a missing one is not, because Go makes it.
func TestCache(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "later")} {
		if err := writable(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	var out strings.Builder
	d := &examination{w: &out}
	if d.cache("GOCACHE", file); d.wrong != 1 || !strings.Contains(out.String(), "set GOCACHE to a folder that you can write") {
		t.Errorf("%s: %d wrong: %s", file, d.wrong, &out)
	}
}

// TestRoom: a disk that is full, or nearly, is an error.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		free  uint64
		known bool
		want  string
	}{
		{0, false, "ok    GOCACHE is DIR\n"},
		{0, true, "wrong GOCACHE: DIR has 0 MiB free, want 1024: make room, or set GOCACHE to a folder of another disk\n"},
		{leastDisk - 1, true, "wrong GOCACHE: DIR has 1023 MiB free, want 1024: make room, or set GOCACHE to a folder of another disk\n"},
		{3 * leastDisk, true, "ok    GOCACHE is DIR, with 3 GiB free\n"},
	} {
		var out strings.Builder
		d := &examination{w: &out}
		if d.room("GOCACHE", "DIR", c.free, c.known); out.String() != c.want {
			t.Errorf("%d bytes: got %swant %s", c.free, &out, c.want)
		}
	}
}

// TestNoGo: without Go nothing can be built.
func TestNoGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var out strings.Builder
	d := &examination{w: &out}
	if d.toolchain(t.Context()); d.wrong != 1 || !strings.HasPrefix(out.String(), "wrong the go command does not answer: ") {
		t.Errorf("%d wrong: %s", d.wrong, &out)
	}
}

// TestCommand runs all checks on this machine, where Go builds this test. Each line is a result, and the
// error counts the problems.
func TestCommand(t *testing.T) {
	var out strings.Builder
	c := Command()
	c.SetOut(&out)
	c.SetArgs(nil)
	err := c.ExecuteContext(t.Context())
	wrong := 0
	for line := range strings.Lines(out.String()) {
		switch how, _, _ := strings.Cut(line, " "); how {
		case "ok", "note":
		case "wrong":
			wrong++
		default:
			t.Errorf("%q says not how it is", line)
		}
	}
	if (err == nil) != (wrong == 0) || strings.Count(out.String(), "\n") < 6 {
		t.Errorf("%v, and\n%s", err, &out)
	}
}

// TestListens tests a port that is taken, and any free one.
func TestListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if listens(l.Addr().String()) == nil {
		t.Error("a port is free that is taken")
	}
	if err := listens("127.0.0.1:0"); err != nil {
		t.Errorf("no port is free: %v", err)
	}
}
