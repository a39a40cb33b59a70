package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/npz"
)

// damageCase is a small file that can be read, by itself or in a folder.
type damageCase struct {
	name  string
	file  []byte
	fixed []any // the other files of the folder, names and contents; nil: the file is opened by itself
	whole bool  // each beginning of the file is an error
}

func damageCases(t *testing.T) []damageCase {
	x, y := tensor.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3), tensor.Of([]int64{1, 0}, 2)
	pixels, labels := tensor.Of([]byte{0, 51, 255, 102}, 2, 1, 2), tensor.Of([]byte{7, 3}, 2)
	png := picture(3, 2, color.RGBA{10, 200, 30, 255})
	return []damageCase{
		{"train-images.idx", idx(t, pixels), []any{"train-labels.idx", idx(t, labels)}, true},
		{"train-labels.idx", idx(t, labels), []any{"train-images.idx", idx(t, pixels)}, true},
		{"train-images.idx.gz", zipped(idx(t, pixels)), []any{"train-labels.idx", idx(t, labels)}, true},
		{"x.npy", npy(t, x), []any{"y.npy", npy(t, y)}, true},
		{"y.npy", npy(t, y), []any{"x.npy", npy(t, x)}, true},
		{"a.npz", archive(t, map[string]*tensor.Tensor{"x": x, "y": y}), nil, true},
		{"b.npz", deflated(t, "x.npy", npy(t, x), "y.npy", npy(t, y)), nil, true},
		{"cat/a.png", png, []any{"dog/b.png", png}, false}, // ends with a chunk that is not needed
		{"a.csv", []byte("a,b,class\n1,2.5,\"cat\"\n-3e9,0,dog\n"), nil, false},
		{NamesFile, []byte(`{"classes":["a","b"],"columns":["u","v","w"],"left_out":3}`), []any{"x.npy", npy(t, x), "y.npy", npy(t, y)}, true},
	}
}

// deflated returns a compressed zip of alternating names and contents.
func deflated(t *testing.T, pairs ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		w, err := z.Create(pairs[i].(string))
		if err != nil {
			t.Fatal(err)
		}
		w.Write(pairs[i+1].([]byte))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// open reads the case with other content, and all of its examples.
func (c *damageCase) open(file []byte) (examples string, err error) {
	fsys := files(append([]any{c.name, file}, c.fixed...)...)
	name := "."
	if c.fixed == nil {
		name = c.name
	}
	set, err := Open(fsys, name, Options{X: tensor.Float32, Y: tensor.Int64})
	if err != nil {
		return "", err
	}
	for i := range set.Train.Len() {
		x, y := set.Train.Features().Tensor(1), set.Train.Labels().Tensor(1)
		if err := set.Train.Batch([]int{i}, x, y); err != nil {
			return examples, err
		}
		examples += fmt.Sprintln(x.Data, y.Data)
	}
	return examples, nil
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestTruncated reads every beginning of small files: none may be taken for a shorter one that is complete.
func TestTruncated(t *testing.T) {
	for _, c := range damageCases(t) {
		want, err := c.open(c.file)
		if err != nil || want == "" {
			t.Fatalf("%s: %v", c.name, err)
		}
		took := allocated(func() {
			for n := range len(c.file) {
				if got, err := c.open(c.file[:n:n]); err == nil && (c.whole || strings.HasSuffix(c.name, ".png") && got != want) {
					t.Errorf("%s: the first %d of %d bytes are read as %s", c.name, n, len(c.file), got)
				}
			}
		})
		if most := uint64(len(c.file)) << 20; took > most {
			t.Errorf("%s: allocates %d bytes, want at most %d", c.name, took, most)
		}
	}
}

// TestDamaged changes each byte of small files: the result is an error, or examples, but no panic and no huge allocation.
func TestDamaged(t *testing.T) {
	for _, c := range damageCases(t) {
		refused := 0
		took := allocated(func() {
			for i := range c.file {
				for _, to := range []byte{0, 0x7f, 0xff, c.file[i] ^ 1, c.file[i] ^ 0x80} {
					b := bytes.Clone(c.file)
					b[i] = to
					if _, err := c.open(b); err != nil {
						refused++
					}
				}
			}
		})
		if most := uint64(5*len(c.file)) << 20; took > most {
			t.Errorf("%s: allocates %d bytes, want at most %d", c.name, took, most)
		}
		if refused == 0 {
			t.Errorf("%s: no damage is noticed", c.name)
		}
	}
}

// TestClaims: headers that claim gigabytes are refused before anything is allocated for them.
func TestClaims(t *testing.T) {
	claim := func(dims ...uint32) []byte {
		b := []byte{0, 0, 0x0e, byte(len(dims))}
		for _, n := range dims {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		return b
	}
	array := func(shape string) []byte {
		header := "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }"
		b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
		return append(b, header...)
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"train-images.idx", claim(1e8), "train-images.idx: idx: 0 bytes of data, want 800000000 for float64[100000000]"},
		{"train-images.idx", claim(1<<31-1, 1<<31-1, 1<<31-1, 1<<31-1), "train-images.idx: idx: shape [2147483647 2147483647 2147483647 2147483647] has more than "},
		{"train-images.idx", claim(0, 1<<31), "train-images.idx: idx: dimension 2147483648, want at most 2147483647"},
		{"x.npy", array("(100000000,)"), "x.npy: npy: data has 0 bytes, want 800000000 for float64[100000000]"},
		{"x.npy", array("(1000000000, 1000000000)"), "x.npy: npy: shape [1000000000 1000000000] has more than "},
		{"x.npy", array("(99999999999999999999,)"), `x.npy: npy: header key "shape": found "99999999999999999999", want a dimension`},
	} {
		opt := Options{X: tensor.Float32, Y: tensor.Int64}
		took := allocated(func() {
			_, err := Open(files(c.name, c.file, "y.npy", ""), ".", opt)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
			}
		})
		if took > 1<<20 {
			t.Errorf("%s: allocates %d bytes", c.want, took)
		}
	}
}

// TestExpandingArchive: an archive that expands to more than its limit is refused, also one that announces less than it holds.
func TestExpandingArchive(t *testing.T) {
	const size = 8 << 20
	big := npy(t, tensor.New(tensor.Uint8, size))
	b := deflated(t, "x.npy", big)
	if _, err := npz.Decode(b, int64(len(big))); err != nil {
		t.Fatal(err)
	}
	lies := bytes.Clone(b)
	at := bytes.LastIndex(lies, []byte("PK\x01\x02")) // the file's entry in the directory; its size is 24 bytes further
	binary.LittleEndian.PutUint32(lies[at+24:], 10)
	for what, c := range map[string][]byte{"honest": b, "lies": lies} {
		took := allocated(func() {
			if _, err := npz.Decode(c, size/8); err == nil {
				t.Errorf("%s: %d bytes are within a limit of %d", what, len(big), size/8)
			}
		})
		if took > size {
			t.Errorf("%s: allocates %d bytes for an archive beyond its limit", what, took)
		}
	}
}

// opened counts the files that are open.
type opened struct {
	fs.FS
	n *int
}

func (o opened) Open(name string) (fs.File, error) {
	f, err := o.FS.Open(name)
	if err != nil {
		return nil, err
	}
	*o.n++
	return closes{f, o.n}, nil
}

type closes struct {
	fs.File
	n *int
}

func (c closes) Close() error { *c.n--; return c.File.Close() }

// ReadDir lists a folder.
func (c closes) ReadDir(n int) ([]fs.DirEntry, error) {
	if d, ok := c.File.(fs.ReadDirFile); ok {
		return d.ReadDir(n)
	}
	return nil, io.ErrUnexpectedEOF
}

// TestFilesAreClosed: no file remains open, whether it could be read or not.
func TestFilesAreClosed(t *testing.T) {
	for _, c := range damageCases(t) {
		for _, end := range []int{0, 1, len(c.file) / 2, len(c.file)} {
			n := 0
			fsys := opened{files(append([]any{c.name, c.file[:end]}, c.fixed...)...), &n}
			name := "."
			if c.fixed == nil {
				name = c.name
			}
			set, err := Open(fsys, name, Options{X: tensor.Float32, Y: tensor.Int64})
			if err == nil {
				err = set.Train.Batch([]int{0}, set.Train.Features().Tensor(1), set.Train.Labels().Tensor(1))
			}
			if n != 0 {
				t.Errorf("%s, %d bytes of it: %d files remain open (%v)", c.name, end, n, err)
			}
		}
	}
}
