package record

import (
	"path/filepath"
	"testing"
)

// TestLocal: names of the author's files are the same, whether GOFLAGS has -trimpath or not.
func TestLocal(t *testing.T) {
	t.Chdir(t.TempDir())
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	s := &source{path: "app/p", module: "app", root: root}
	for text, want := range map[string]string{
		"app/p/x.go:3: no name":                       "p/x.go:3: no name",
		"app/x.go:3: called at app/p/y.go:20":         "x.go:3: called at p/y.go:20",
		"main()\n\tapp/p/x.go:3 +0x1d":                "main()\n\tp/x.go:3 +0x1d",
		"app/p.Program()":                             "app/p.Program()",
		"/home/app/p/x.go:3: another folder":          "/home/app/p/x.go:3: another folder",
		"example.com/app/p/x.go:3: another module":    "example.com/app/p/x.go:3: another module",
		"app@v1.0.0/p/x.go:3: a version in the cache": "app@v1.0.0/p/x.go:3: a version in the cache",
	} {
		if got := s.local(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	s.root = filepath.Join(root, "far")
	if got, want := s.local("app/x.go:3: no name"), "far/x.go:3: no name"; got != want {
		t.Errorf("from outside of the module: got %q, want %q", got, want)
	}
	s.module = ""
	if got, want := s.local("app/x.go:3"), "app/x.go:3"; got != want {
		t.Errorf("without a module: got %q, want %q", got, want)
	}
}
