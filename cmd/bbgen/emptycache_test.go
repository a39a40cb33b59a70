package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEmptyCache: what bbgen new makes of each template passes its test at once on a machine whose module cache is empty.
// The script new.txtar does the same with the modules that are there.
func TestEmptyCache(t *testing.T) {
	if os.Getenv("BBGEN_TEST_CACHE") != "empty" {
		t.Skip("BBGEN_TEST_CACHE=empty runs this test: it downloads all modules and builds eleven programs, which takes minutes")
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	env := append(os.Environ(), "GOMODCACHE="+filepath.Join(tmp, "mod"), "GOFLAGS="+os.Getenv("GOFLAGS")+" -modcacherw", "GOWORK=off")
	run := func(dir, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(repo, "go", "mod", "download", "golang.org/x/sys"); err != nil {
		t.Skipf("no modules can be downloaded: %v\n%s", err, out)
	}
	bbgen := filepath.Join(tmp, "bbgen")
	if out, err := run(repo, "go", "build", "-o", bbgen, "./cmd/bbgen"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range templates(t, bbgen) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if out, err := run(dir, bbgen, "new", "example.com/begun", "--template", name, "--bbgen", repo); err != nil {
				t.Fatalf("bbgen new: %v\n%s", err, out)
			}
			if out, err := run(filepath.Join(dir, "begun"), "go", "test", "./..."); err != nil {
				t.Errorf("go test: %v\n%s", err, out)
			}
		})
	}
}

// templates returns the names that the help of bbgen new lists.
func templates(t *testing.T, bbgen string) (names []string) {
	t.Helper()
	out, err := exec.Command(bbgen, "new", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(out), "The templates are\n")
	list, _, _ = strings.Cut(list, "\nUsage:")
	for line := range strings.Lines(list) {
		if words := strings.Fields(line); len(words) > 0 {
			names = append(names, words[0])
		}
	}
	if len(names) < 11 {
		t.Fatalf("the help lists the templates %q:\n%s", names, out)
	}
	return names
}
