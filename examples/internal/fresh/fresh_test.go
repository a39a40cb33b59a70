package fresh

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/examples/service/program"
)

// recorder records the failures of a test.
type recorder struct {
	testing.TB
	files []string
	fatal bool
}

func (r *recorder) Fatal(...any) {
	r.fatal = true
	runtime.Goexit()
}

func (r *recorder) Errorf(_ string, args ...any) { r.files = append(r.files, args[0].(string)) }

// What Check writes is fresh. A file that has changed or is gone is reported.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "program"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/service\n\ngo 1.26.0\n\nrequire github.com/bbgen/bbgen v0.0.0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "program"))
	stale := func() []string {
		r := &recorder{TB: t}
		Check(r, program.Program())
		slices.Sort(r.files)
		return r.files
	}
	t.Setenv("BBGEN_UPDATE", "")
	if len(stale()) == 0 {
		t.Error("an empty folder is fresh")
	}
	t.Setenv("BBGEN_UPDATE", "1")
	Check(t, program.Program())
	t.Setenv("BBGEN_UPDATE", "")
	Check(t, program.Program())

	var written []string
	err := filepath.WalkDir("../peer", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".bb.go") {
			name, err = filepath.Abs(name)
			written = append(written, name)
		}
		return err
	})
	if err != nil || len(written) < 2 {
		t.Fatal(written, err)
	}
	if err := os.WriteFile(written[0], []byte("package other\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(written[1]); err != nil {
		t.Fatal(err)
	}
	if got := stale(); len(got) != 2 || filepath.Base(got[0]) != filepath.Base(written[0]) || filepath.Base(got[1]) != filepath.Base(written[1]) {
		t.Errorf("stale are %v, want %v", got, written[:2])
	}
}

// A test fails that has no valid program, or no folder for its peers.
func TestCheckFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "peer"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "program"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "program"))
	for name, p := range map[string]dsl.Program{"no program": {}, "a file instead of a folder": program.Program()} {
		r, done := &recorder{TB: t}, make(chan bool)
		go func() {
			defer close(done)
			Check(r, p)
		}()
		if <-done; !r.fatal {
			t.Errorf("%s is fresh", name)
		}
	}
}
