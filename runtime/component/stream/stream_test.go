package stream

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime"
)

// growing is a file that grows, in a folder of its own.
type growing struct {
	t    *testing.T
	path string
}

func newFile(t *testing.T) *growing { return &growing{t, filepath.Join(t.TempDir(), "readings.csv")} }

func (f *growing) append(text string) {
	f.t.Helper()
	w, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = w.WriteString(text)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// open opens a source of the file.
func (f *growing) open(l Lines, classes ...string) *Source {
	f.t.Helper()
	l.Path = filepath.Base(f.path)
	s := &Source{Lines: l, Classes: classes}
	if err := s.Open(runtime.Env{Data: os.DirFS(filepath.Dir(f.path))}); err != nil {
		f.t.Fatal(err)
	}
	return s
}

// want reads a batch.
func (f *growing) want(s *Source, x []float32, y ...int64) {
	f.t.Helper()
	gotX, gotY, err := s.NextBatch()
	if err != nil || !slices.Equal(gotX.Data, x) || !slices.Equal(gotY.Data, y) {
		f.t.Errorf("got %v of %v (%v), want %v of %v", gotX.Data, gotY.Data, err, x, y)
	}
	if w, _ := s.Samples(); int(w) != len(y) || !slices.Equal(gotX.Shape, []int{len(y), 2}) {
		f.t.Errorf("%v samples of shape %v, want %d", w, gotX.Shape, len(y))
	}
}

func (f *growing) wantDry(s *Source) {
	f.t.Helper()
	if _, _, err := s.NextBatch(); !errors.Is(err, ErrDry) {
		f.t.Errorf("got %v, want ErrDry", err)
	}
}

// Examples are given once they are whole, in batches, and a batch for which too few are there comes later.
func TestGrowing(t *testing.T) {
	f := newFile(t)
	s := f.open(Lines{Batch: 3, Least: 2, Shape: []int{2}, Header: true}, "cat", "dog")
	f.wantDry(s)
	f.append("width,height,animal\n1,2,dog\n3,4,ca")
	f.wantDry(s)
	f.append("t\n\n5, 6, dog\r\n7,8,cat\n")
	f.want(s, []float32{1, 2, 3, 4, 5, 6}, 1, 0, 1)
	f.wantDry(s)
	f.append("9,10,cat\n")
	f.want(s, []float32{7, 8, 9, 10}, 0, 0)
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	f.want(s, []float32{1, 2, 3, 4, 5, 6}, 1, 0, 1)
}

// A peer that is killed after any batch, and continues from its snapshot, trains with each example once.
func TestRestart(t *testing.T) {
	f := newFile(t)
	l := Lines{Batch: 3, Shape: []int{2}}
	s := f.open(l)
	var got, want []int64
	for i := range 40 {
		f.append(fmt.Sprintf("%d,0.5,%d\n", i, i))
		want = append(want, int64(i))
		snapshot, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if i%4 == 1 {
			s.NextBatch() // lost with the peer
			s = f.open(l)
			if err := s.UnmarshalBinary(snapshot); err != nil {
				t.Fatal(err)
			}
		}
		if i%3 == 0 {
			_, y, err := s.NextBatch()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, y.Data...)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A line that is no example ends a batch, and is reported with its place, once. A file that was replaced is read from its
// beginning.
func TestBadLines(t *testing.T) {
	f := newFile(t)
	s := f.open(Lines{Batch: 2, Least: 2, Shape: []int{2}})
	f.append("1,2,0\n1,2\n1,x,0\n1,inf,0\n1,2,cat\n1,2,-1\n3,4,1\n3,x,1\n5,5,0\n6,6,0\n")
	f.want(s, []float32{1, 2}, 0)
	f.wantError(s, "readings.csv:2: it has 2 columns, want 3: the features [2] and a label")
	f.wantError(s, `readings.csv:3: a cell is "x"`)
	f.wantError(s, `readings.csv:4: a cell is "inf"`)
	f.wantError(s, `readings.csv:5: the label is "cat", want a class`)
	f.wantError(s, `readings.csv:6: the label is "-1"`)
	f.want(s, []float32{3, 4}, 1)
	f.wantError(s, `readings.csv:8: a cell is "x"`)
	f.want(s, []float32{5, 5, 6, 6}, 0, 0)
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	f.append("5,6,1\n7,8,0\n9,9,1\n")
	f.want(s, []float32{5, 6, 7, 8}, 1, 0)
	f.append(strings.Repeat("7", longest+1))
	f.want(s, []float32{9, 9}, 1)
	f.wantError(s, "readings.csv:4: the line is longer than 65536 bytes")
	f.wantError(s, "readings.csv:4: the line is longer than 65536 bytes")
	f.append(strings.Repeat("7", 2*longest) + "\n1,1,0\n2,2,1\n")
	f.wantError(s, "readings.csv:4: the line is longer than 65536 bytes")
	f.want(s, []float32{1, 1, 2, 2}, 0, 1)
}

// A file that was replaced by a longer one is read from its beginning, not from somewhere in a line, also by a peer that was
// restarted meanwhile.
func TestReplaced(t *testing.T) {
	f := newFile(t)
	l := Lines{Batch: 2, Shape: []int{2}}
	s := f.open(l)
	f.append("1,2,0\n3,4,1\n")
	f.want(s, []float32{1, 2, 3, 4}, 0, 1)
	snapshot, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	f.append("10,20,0\n30,40,1\n50,60,0\n")
	f.want(s, []float32{10, 20, 30, 40}, 0, 1)
	s = f.open(l)
	if err := s.UnmarshalBinary(snapshot); err != nil {
		t.Fatal(err)
	}
	f.want(s, []float32{10, 20, 30, 40}, 0, 1)
}

// What is no regular file is refused: a pipe would block the peer until somebody writes.
func TestNoFile(t *testing.T) {
	f := newFile(t)
	s := f.open(Lines{Batch: 2, Shape: []int{2}})
	if err := os.Mkdir(f.path, 0o777); err != nil {
		t.Fatal(err)
	}
	f.wantError(s, "want a regular file")
}

func (f *growing) wantError(s *Source, text string) {
	f.t.Helper()
	if _, _, err := s.NextBatch(); err == nil || !strings.Contains(err.Error(), text) {
		f.t.Errorf("got %v, want %s", err, text)
	}
}

// Values have labels that are numbers.
func TestValues(t *testing.T) {
	f := newFile(t)
	f.append("1,2,0.5\n3,4,-1e3\n")
	v := &Values{Lines{Path: "readings.csv", Batch: 8, Shape: []int{2}}}
	if err := v.Open(runtime.Env{Data: os.DirFS(filepath.Dir(f.path))}); err != nil {
		t.Fatal(err)
	}
	x, y, err := v.NextBatch()
	if err != nil || !slices.Equal(x.Data, []float32{1, 2, 3, 4}) || !slices.Equal(y.Data, []float32{0.5, -1e3}) || !slices.Equal(y.Shape, []int{2, 1}) {
		t.Errorf("got %v and %v (%v)", x, y, err)
	}
}

// Configurations without a meaning, and states of another component, are refused.
func TestRefused(t *testing.T) {
	data := os.DirFS(t.TempDir())
	for want, c := range map[string]struct {
		l   Lines
		env runtime.Env
	}{
		"no data":   {Lines{Path: "a", Batch: 1, Shape: []int{1}}, runtime.Env{}},
		"Path":      {Lines{Path: "../a", Batch: 1, Shape: []int{1}}, runtime.Env{Data: data}},
		"Batch":     {Lines{Path: "a", Shape: []int{1}}, runtime.Env{Data: data}},
		"and Least": {Lines{Path: "a", Batch: 1, Least: 2, Shape: []int{1}}, runtime.Env{Data: data}},
		"Shape":     {Lines{Path: "a", Batch: 1, Shape: []int{0}}, runtime.Env{Data: data}},
	} {
		if err := c.l.Open(c.env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := new(Lines).UnmarshalBinary(make([]byte, 7)); err == nil {
		t.Error("half a state is accepted")
	}
	if err := new(Lines).UnmarshalBinary(slices.Repeat([]byte{0xff}, 28)); err == nil {
		t.Error("a negative position is accepted")
	}
}
