package disktest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
)

// calls has a call of each method that a fault can stop, and the operation that it is. Before each call there are the file
// a with the text "old", and the empty folder sub.
func calls(d disk.FS, dir string) map[string]struct {
	op   Op
	name string // that the fault is asked about
	do   func() error
} {
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	sub := filepath.Join(dir, "sub")
	open := func(do func(f disk.File) error) func() error {
		return func() error {
			f, err := d.OpenFile(a, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			return errors.Join(do(f), f.Close())
		}
	}
	return map[string]struct {
		op   Op
		name string
		do   func() error
	}{
		"open":    {Open, a, open(func(disk.File) error { return nil })},
		"create":  {Create, b, func() error { return created(d, b) }},
		"write":   {Write, a, open(func(f disk.File) error { _, err := f.Write([]byte("new")); return err })},
		"writeAt": {Write, a, open(func(f disk.File) error { _, err := f.WriteAt([]byte("new"), 0); return err })},
		"sync":    {Sync, a, open(func(f disk.File) error { return f.Sync() })},
		"syncDir": {Sync, dir, func() error { return d.SyncDir(dir) }},
		"rename":  {Rename, b, func() error { return d.Rename(a, b) }},
		"link":    {Link, b, func() error { return d.Link(a, b) }},
		"remove":  {Remove, a, func() error { return d.Remove(a) }},
		"mkdir":   {Mkdir, filepath.Join(sub, "x", "y"), func() error { return d.MkdirAll(filepath.Join(sub, "x", "y"), 0o777) }},
		"read":    {Open, a, func() error { _, err := d.ReadFile(a); return err }},
		"readDir": {Open, dir, func() error { _, err := d.ReadDir(dir); return err }},
	}
}

func created(d disk.FS, name string) error {
	f, err := d.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return f.Close()
}

// folder returns a folder as calls expects it.
func folder(t *testing.T) string {
	dir := t.TempDir()
	err := errors.Join(os.WriteFile(filepath.Join(dir, "a"), []byte("old"), 0o666), os.Mkdir(filepath.Join(dir, "sub"), 0o777))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// content returns the names and the contents of the files below a folder.
func content(t *testing.T, dir string) string {
	t.Helper()
	out := ""
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var b []byte
			b, err = os.ReadFile(path)
			out += e.Name() + "=" + string(b) + " "
		} else if err == nil && path != dir {
			out += e.Name() + "/ "
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFaultStopsEachOperation: a call that is to fail changes nothing and has the fault's error; the others are as without a
// fault.
func TestFaultStopsEachOperation(t *testing.T) {
	after := map[string]string{
		"create": "a=old b= sub/ ", "write": "a=new sub/ ", "writeAt": "a=new sub/ ", "rename": "b=old sub/ ",
		"link": "a=old b=old sub/ ", "remove": "sub/ ", "mkdir": "a=old sub/ x/ y/ ",
	}
	const before = "a=old sub/ "
	for name := range calls(nil, "") {
		t.Run(name, func(t *testing.T) {
			dir, cause, d := folder(t), errors.New("a fault"), New()
			c := calls(d, dir)[name]
			d.Fault(func(op Op, of string) error {
				if op == c.op && of == c.name {
					return cause
				}
				return nil
			})
			var at *fs.PathError
			if err := c.do(); !errors.Is(err, cause) || !errors.As(err, &at) || at.Op != string(c.op) || at.Path != c.name {
				t.Fatalf("the error is %v", err)
			}
			if got := content(t, dir); got != before {
				t.Errorf("a failed call leaves %q, want %q", got, before)
			}

			d.Fault(func(op Op, of string) error {
				if op == c.op && of == c.name || op == Open && of == filepath.Join(dir, "a") { // the file is opened first
					return nil
				}
				return cause
			})
			if err := c.do(); err != nil {
				t.Fatalf("the faults of other operations stop it: %v", err)
			}
			want, ok := after[name]
			if !ok {
				want = before
			}
			if got := content(t, dir); got != want {
				t.Errorf("a call leaves %q, want %q", got, want)
			}
		})
	}
}

// TestRoomTearsWrites: the bytes for which there is room are in the file, and no others, however they are written.
func TestRoomTearsWrites(t *testing.T) {
	for room := range int64(9) {
		d, name := New(), filepath.Join(t.TempDir(), "x")
		f, err := d.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		d.Room(room)
		first, err1 := f.Write([]byte("abc"))
		second, err2 := f.WriteAt([]byte("defg"), 3)
		if want := min(room, 3); int64(first) != want || (err1 == nil) != (want == 3) || err1 != nil && !errors.Is(err1, syscall.ENOSPC) {
			t.Errorf("room for %d: the first write is %d, %v", room, first, err1)
		}
		if want := min(max(room-3, 0), 4); int64(second) != want || (err2 == nil) != (want == 4) || err2 != nil && !errors.Is(err2, syscall.ENOSPC) {
			t.Errorf("room for %d: the second write is %d, %v", room, second, err2)
		}
		if b, err := d.ReadFile(name); string(b) != "abcdefg"[:min(room, 7)] || err != nil {
			t.Errorf("room for %d: the file has %q, %v", room, b, err)
		}
		d.Room(-1)
		if n, err := f.WriteAt([]byte("ABCDEFGH"), 0); n != 8 || err != nil {
			t.Errorf("unlimited room after %d: %d, %v", room, n, err)
		}
		f.Close()
	}
}

// TestFailedWriteTakesNoRoom: what was not written needs none.
func TestFailedWriteTakesNoRoom(t *testing.T) {
	d, name := New(), filepath.Join(t.TempDir(), "x")
	f, err := d.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d.Room(3)
	d.Fault(func(op Op, _ string) error {
		if op == Write {
			return errors.New("a fault")
		}
		return nil
	})
	if n, err := f.Write([]byte("abc")); n != 0 || err == nil {
		t.Errorf("a write with a fault is %d, %v", n, err)
	}
	d.Fault(nil)
	if n, err := f.Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("then a write is %d, %v", n, err)
	}
}

// TestBlockedFaultStopsNoOthers: a fault may block, and other calls go on meanwhile.
func TestBlockedFaultStopsNoOthers(t *testing.T) {
	d, dir := New(), folder(t)
	blocked, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error)
	d.Fault(func(op Op, _ string) error {
		if op == Remove {
			close(blocked)
			<-goOn
		}
		return nil
	})
	go func() { done <- d.Remove(filepath.Join(dir, "a")) }()
	<-blocked
	if err := d.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Error(err)
	}
	d.Fault(nil)
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := content(t, dir); got != "b=old sub/ " {
		t.Errorf("the folder has %q", got)
	}
}

// TestErrorsOfTheSystem: without a fault the errors are those of the process's file system.
func TestErrorsOfTheSystem(t *testing.T) {
	d := New()
	name := filepath.Join(t.TempDir(), "absent")
	f, err := d.OpenFile(name, os.O_RDONLY, 0)
	if f != nil || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there is %v, %v", f, err)
	}
	if err := d.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it cannot be removed: %v", err)
	}
}
