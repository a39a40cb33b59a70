package spool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/wire"
)

// powered is a disk whose power may be lost: it knows which files, and which of their names, are durable. Before each operation it
// calls at.
type powered struct {
	disk.FS
	at func(op string)

	mu     sync.Mutex
	synced map[string]bool // the content of a file, by its name
	named  map[string]bool // its name
	lost   map[string]bool // a sync of the file has failed: later ones succeed without the lost data
	fails  int             // how many of the next syncs of files fail
}

func newPowered() *powered {
	return &powered{FS: disk.OS, at: func(string) {}, synced: map[string]bool{}, named: map[string]bool{}, lost: map[string]bool{}}
}

// poweredFile is a file of a powered.
type poweredFile struct {
	disk.File
	d    *powered
	base string
}

func (d *powered) set(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do()
}

func (d *powered) OpenFile(name string, flag int, perm fs.FileMode) (disk.File, error) {
	d.at("open " + filepath.Base(name))
	f, err := d.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	if flag&(os.O_TRUNC|os.O_EXCL) != 0 {
		d.set(func() { delete(d.lost, filepath.Base(name)) })
	}
	return &poweredFile{f, d, filepath.Base(name)}, nil
}

func (d *powered) Rename(from, to string) error {
	d.at("rename to " + filepath.Base(to))
	a, b := filepath.Base(from), filepath.Base(to)
	err := d.FS.Rename(from, to)
	d.set(func() {
		d.synced[b], d.named[b] = d.synced[a], false
		d.lost[b] = d.lost[a]
		delete(d.synced, a)
		delete(d.lost, a)
	})
	return err
}

func (d *powered) Remove(name string) error {
	d.at("remove " + filepath.Base(name))
	return d.FS.Remove(name)
}

func (d *powered) SyncDir(dir string) error {
	d.at("sync the folder")
	list, err := os.ReadDir(dir)
	d.set(func() {
		for _, e := range list {
			d.named[e.Name()] = true
		}
	})
	return err
}

func (f *poweredFile) change(op string) {
	f.d.at(op + " " + f.base)
	f.d.set(func() { f.d.synced[f.base] = false })
}

func (f *poweredFile) Write(p []byte) (int, error) {
	f.change("write")
	return f.File.Write(p)
}

func (f *poweredFile) WriteAt(p []byte, at int64) (int, error) {
	f.change("write")
	return f.File.WriteAt(p, at)
}

var errSync = errors.New("the disk does not answer")

func (f *poweredFile) Sync() (err error) {
	f.d.at("sync " + f.base)
	f.d.set(func() {
		if f.d.fails > 0 {
			f.d.fails--
			f.d.lost[f.base], err = true, errSync
			return
		}
		f.d.synced[f.base] = !f.d.lost[f.base]
	})
	return err
}

// named is the values that a snapshot names.
type named map[uint64][]byte

// story is a spool that is used at random, and the snapshots that its host has stored meanwhile.
type story struct {
	t     *testing.T
	dir   string
	d     *powered
	s     *Spool
	r     *rand.Rand
	held  []wire.Blob // references
	datas [][]byte    // their contents
	fill  int

	mu             sync.Mutex // operations of the disk are not the loop's
	last, previous named
	moments        int
}

// content returns a new content.
func (x *story) content() []byte {
	x.fill++
	b := make([]byte, minNamed+x.r.IntN(3))
	copy(b, fmt.Sprint("value ", x.fill))
	b[len(b)-1] = byte(x.fill)
	return b
}

// step does something that a host does.
func (x *story) step() {
	switch k := x.r.IntN(10); {
	case k < 3 || len(x.held) == 0:
		b := x.content()
		if x.r.IntN(4) == 0 && len(x.datas) > 0 {
			b = x.datas[x.r.IntN(len(x.datas))]
		}
		x.keep(x.s.Put(b, nil), b)
	case k < 5:
		x.receive()
	case k < 7:
		i := x.r.IntN(len(x.held))
		x.held[i].Release()
		x.held, x.datas = slices.Delete(x.held, i, i+1), slices.Delete(x.datas, i, i+1)
	default:
		x.save()
	}
	if x.r.IntN(2) == 0 {
		x.s.beside.wait()
	}
}

func (x *story) keep(v wire.Blob, b []byte) {
	x.held, x.datas = append(x.held, v), append(x.datas, b)
}

// receive receives a value in pieces, or a part of one.
func (x *story) receive() {
	b := x.content()
	w := x.s.Begin(&Share{}, uint64(len(b)))
	parts := slices.Collect(slices.Chunk(b, len(b)/2))
	complete := x.r.IntN(3) > 0
	for i, p := range parts {
		if !complete && i > 0 {
			w.Abort()
			return
		}
		if _, err := w.Write(p); err != nil {
			x.t.Fatal(err)
		}
	}
	x.keep(w.Finish(), b)
}

// save writes a snapshot that names some values. A sync may fail, then and when it is tried again.
func (x *story) save() {
	x.s.Next()
	list := named{}
	for i, v := range x.held {
		if x.r.IntN(3) > 0 {
			list[x.s.Name(v)] = x.datas[i]
		}
	}
	if got := x.s.Names(); !slices.Equal(got, slices.Sorted(maps.Keys(list))) {
		x.t.Fatalf("the snapshot names %v, want %v", got, slices.Sorted(maps.Keys(list)))
	}
	for range 3 {
		x.d.set(func() { x.d.fails = x.r.IntN(4) })
		err := x.s.Sync()
		x.d.set(func() { x.d.fails = 0 })
		if errors.Is(err, errSync) {
			continue
		}
		if err != nil {
			x.t.Fatal(err)
		}
		x.set(func() { x.last, x.previous = list, x.last })
		x.s.Sweep()
		break
	}
	if x.r.IntN(4) == 0 {
		x.set(func() { x.previous = nil })
		x.s.SweepPrevious()
	}
}

func (x *story) set(do func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	do()
}

// crash copies the folder as it is before an operation, after a kill of the process or a loss of power, and starts the spool on it.
func (x *story) crash(op string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.moments++
	for _, power := range []bool{false, true} {
		dir := x.t.TempDir()
		if err := x.leave(dir, power); err != nil {
			x.t.Error(err)
			return
		}
		if err := starts(dir, x.last, x.previous); err != nil {
			x.t.Errorf("moment %d, before %s, power lost: %v: %v", x.moments, op, power, err)
		}
		os.RemoveAll(dir)
	}
}

// leave makes what is left of the folder. Without power, a name that was not synced is lost or not, and data that were not synced are
// there up to some byte.
func (x *story) leave(dir string, power bool) error {
	list, err := os.ReadDir(x.dir)
	if err != nil {
		return err
	}
	x.d.mu.Lock()
	defer x.d.mu.Unlock()
	for i, e := range list {
		name := e.Name()
		from, to := filepath.Join(x.dir, name), filepath.Join(dir, name)
		switch {
		case power && !x.d.named[name] && (x.moments+i)%2 == 0:
		case power && !x.d.synced[name]:
			b, err := os.ReadFile(from)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = os.WriteFile(to, b[:len(b)*((x.moments+i)%5)/5], 0o600)
			}
			if err != nil {
				return err
			}
		default:
			// The file is not changed any more: a link is as good as a copy.
			if err := link(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// link links a file, or copies it where there are no links.
func link(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// starts starts a spool as a host does: it restores the last snapshot, and removes what neither that nor the previous one names. It
// returns an error if a value of either is another one, if other files are left, or if a new value gets the name of one of these.
func starts(dir string, last, previous named) error {
	s, err := New(disk.OS, dir, 1000, nil)
	if err != nil {
		return err
	}
	open := func(s *Spool, names named) error {
		for name, want := range names {
			v, err := s.Open(name, uint64(len(want)), wire.CRC(want))
			if err != nil {
				return err
			}
			got, err := io.ReadAll(io.NewSectionReader(v, 0, int64(v.Size())))
			v.(*valueFile).f.Close() // nobody releases what a snapshot names
			if err != nil || !bytes.Equal(got, want) {
				return fmt.Errorf("value %d is %.20q, %w; want %.20q", name, got, err, want)
			}
		}
		return nil
	}
	if err := open(s, last); err != nil {
		return fmt.Errorf("the last snapshot: %w", err)
	}
	s.SweepOthers(slices.Collect(maps.Keys(previous)))
	want := map[string]bool{}
	for _, x := range []named{last, previous} {
		for name := range x {
			want[strconv.FormatUint(name, 10)] = true
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		if !want[e.Name()] {
			return fmt.Errorf("the file %s is left", e.Name())
		}
	}
	before, err := New(disk.OS, dir, 1000, nil)
	if err != nil {
		return err
	}
	if err := open(before, previous); err != nil {
		return fmt.Errorf("the previous snapshot: %w", err)
	}
	fresh := s.Begin(nil, 1)
	if fresh == nil || want[strconv.FormatUint(fresh.name, 10)] {
		return fmt.Errorf("a new value gets the name of another one: %+v", fresh)
	}
	return nil
}

// TestCrashes uses a spool at random, and kills the process and cuts the power before each operation of the disk: the values of
// the stored snapshots are there, whatever had happened, and nothing else after the next start.
func TestCrashes(t *testing.T) {
	moments := 0
	for seed := range uint64(4) {
		x := &story{t: t, dir: t.TempDir(), d: newPowered(), r: rand.New(rand.NewPCG(seed, 1))}
		x.s = testSpoolOn(t, x.d, x.dir)
		x.d.at = x.crash
		for range 20 {
			x.step()
		}
		x.s.beside.wait()
		x.crash("the end")
		x.d.at = func(string) {}
		moments += x.moments
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
		for _, v := range x.held {
			v.Release()
		}
		for range 3 { // without references, and two snapshots that name nothing
			snapshot(t, x.s)
		}
		if got := files(t, x.dir); len(got) != 0 || x.s.used != (Share{}) {
			t.Errorf("seed %d: the files %v are left of nothing, and %+v is used", seed, got, x.s.used)
		}
	}
	if moments < 100 {
		t.Errorf("there are only %d moments", moments)
	}
}

// TestCutAndChanged cuts the file of a value at each byte, changes each of its bytes, makes it longer, and gives it the content of another
// value or no file at all: it is refused each time, and no file stays open or counted.
func TestCutAndChanged(t *testing.T) {
	dir := t.TempDir()
	good := []byte(strings.Repeat("0123456789abcdef", 40) + "end")
	file := filepath.Join(dir, "1")
	s := testSpool(t, dir)
	try := func(b []byte) error {
		t.Helper()
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := s.Open(1, uint64(len(good)), wire.CRC(good))
		if err == nil {
			v.Release()
			return nil
		}
		if s.used != (Share{}) || len(s.files) != 0 {
			t.Fatalf("%v: %+v is used, of %d files", err, s.used, len(s.files))
		}
		return err
	}
	for n := range good {
		if err := try(good[:n]); !errors.Is(err, ErrValue) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(good), err)
		}
		changed := slices.Clone(good)
		changed[n] ^= 1 << (n % 8)
		if err := try(changed); !errors.Is(err, ErrValue) {
			t.Fatalf("byte %d is another one: %v", n, err)
		}
	}
	for name, b := range map[string][]byte{"longer": append(slices.Clone(good), 0), "twice": slices.Concat(good, good), "zeros": make([]byte, len(good))} {
		if err := try(b); !errors.Is(err, ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(1, uint64(len(good)), wire.CRC(good)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(1, uint64(len(good)), wire.CRC(good)); err == nil {
		t.Error("a folder is a value")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := try(good); err != nil {
		t.Errorf("the value itself: %v", err)
	}
}

// TestRenamedFiles exchanges the files of values of equal size, gives one the name of another, and renames one to another form of its
// number: a value is never read as another one.
func TestRenamedFiles(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(file func(string) string) error
		opens1 bool
		opens2 bool
	}{
		"exchanged": {func(f func(string) string) error {
			return errors.Join(os.Rename(f("1"), f("x")), os.Rename(f("2"), f("1")), os.Rename(f("x"), f("2")))
		}, false, false},
		"one replaces the other": {func(f func(string) string) error { return os.Rename(f("2"), f("1")) }, false, false},
		"a link to the other":    {func(f func(string) string) error { return errors.Join(os.Remove(f("1")), os.Link(f("2"), f("1"))) }, false, true},
		"with a zero before":     {func(f func(string) string) error { return os.Rename(f("1"), f("01")) }, false, true},
		"not moved":              {func(func(string) string) error { return nil }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := testSpool(t, dir)
			a, b := s.Put(large(1), nil), s.Put(large(2), nil)
			snapshot(t, s, a, b)
			if err := c.spoil(func(n string) string { return filepath.Join(dir, n) }); err != nil {
				t.Skipf("no such file system: %v", err)
			}
			again := testSpool(t, dir)
			for i, want := range []bool{c.opens1, c.opens2} {
				v, err := again.Open(uint64(i+1), minNamed, wire.CRC(large(byte(i+1))))
				if (err == nil) != want {
					t.Errorf("value %d: %v, want that it is there: %v", i+1, err, want)
				}
				if err == nil && !bytes.Equal(read(t, v), large(byte(i+1))) {
					t.Errorf("value %d is another one", i+1)
				}
			}
		})
	}
}
