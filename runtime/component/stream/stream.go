// Package stream implements the role DataSource for a file that grows: another program appends examples to it, and a
// peer trains with those that it has not seen. Nothing is read before it is needed, so that memory is limited to a
// batch, and the file is the buffer.
//
// A snapshot of the peer has its position in the file. A restarted peer continues with the first example whose batch is
// not in the snapshot; no example is trained twice or left out. If the bytes before that position are no longer there, the file
// was replaced, and is read from its beginning.
package stream

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Lines is a file of lines, such as "0.5,1.25,cat": the features of an example, and its label.
type Lines struct {
	Path   string // in the peer's data
	Batch  int    // the most examples of a batch
	Least  int    // the fewest; 0: one. If fewer have been appended, NextBatch returns ErrDry
	Shape  []int  // of the features of an example
	Header bool   // the first line has the names of the columns

	data     fs.FS
	features int
	state
}

// Source gives features as float32, and classes as int64.
type Source struct {
	Lines
	Classes []string // the words that are labels, by class; none: labels are numbers from 0
}

// Values gives features and labels as float32.
type Values struct{ Lines }

// ErrDry is returned for a batch when too few examples have been appended. A peer that takes part in a round without data
// fails in it, and the others go on, as many as the quorum wants.
var ErrDry = errors.New("too few new examples")

// Open checks the configuration. The file need not exist yet.
func (l *Lines) Open(env runtime.Env) (err error) {
	switch {
	case env.Data == nil:
		return errors.New("stream: the peer has no data: give it a folder with -data DIR, or all peers with bbgen run --data DIR")
	case !fs.ValidPath(l.Path):
		return fmt.Errorf("stream: Path is %q, want a file in the peer's data", l.Path)
	case l.Batch < 1 || l.Least < 0 || l.Least > l.Batch:
		return fmt.Errorf("stream: Batch is %d and Least %d, want 1 or more, and at most as many", l.Batch, l.Least)
	}
	if l.features, err = tensor.NumElements(l.Shape); err != nil || l.features == 0 {
		return fmt.Errorf("stream: Shape is %v, want the shape of the features of an example", l.Shape)
	}
	l.data = env.Data
	return nil
}

// NextBatch returns the next examples and their classes.
func (s *Source) NextBatch() (x tensor.Dense[float32], y tensor.Dense[int64], err error) {
	err = s.batch(&x, func(label string) error {
		class := int64(slices.Index(s.Classes, label))
		if s.Classes == nil {
			class, err = strconv.ParseInt(label, 10, 64)
		}
		if err != nil || class < 0 {
			return fmt.Errorf("the label is %q, want a class", label)
		}
		y.Data = append(y.Data, class)
		return nil
	})
	y.Shape = x.Shape[:1]
	return x, y, err
}

// NextBatch returns the next examples and their labels, float32[n, 1].
func (v *Values) NextBatch() (x, y tensor.Dense[float32], err error) {
	err = v.batch(&x, func(label string) error {
		n, err := number(label)
		if err == nil {
			y.Data = append(y.Data, n)
		}
		return err
	})
	y.Shape = []int{x.Shape[0], 1}
	return x, y, err
}

// Samples returns the number of examples in the last batch, for use as a weight.
func (l *Lines) Samples() (float32, error) { return float32(l.samples), nil }

// Reset restarts with the first line.
func (l *Lines) Reset() error {
	l.state = state{}
	return nil
}

// batch appends the features of the next examples to x, and has their labels read. A line that is no example ends a batch,
// however small that is; at the beginning of a batch it is reported, once: the next batch begins behind it.
func (l *Lines) batch(x *tensor.Dense[float32], label func(string) error) error {
	x.Shape = append([]int{0}, l.Shape...)
	r, err := l.reader()
	if err != nil {
		return err
	}
	defer r.close()
	next, cut := l.state, false
	next.samples = 0
	for next.samples < int64(l.Batch) && !cut {
		behind, more, err := l.next(r, next, x, label)
		switch {
		case err != nil && next.samples == 0:
			return errors.Join(fmt.Errorf("%s:%d: %w", l.Path, next.line+1, err), l.moveTo(behind, r.file))
		case err != nil:
			cut = true
		case !more:
			return l.end(r, x, next, cmp.Or(l.Least, 1))
		default:
			next = behind
		}
	}
	return l.end(r, x, next, 1)
}

// next reads the line at a state, and returns the state behind it. There are no more lines if its end has not been written.
func (l *Lines) next(r *reader, at state, x *tensor.Dense[float32], label func(string) error) (behind state, more bool, err error) {
	text, n, err := r.line()
	if n == 0 {
		return at, false, err
	}
	at.position += n
	at.line++
	if err != nil {
		return at, false, err
	}
	if text = strings.TrimSpace(text); text == "" || l.Header && at.line == 1 {
		return at, true, nil
	}
	if err := l.example(x, text, label); err != nil {
		return at, false, err
	}
	at.samples++
	return at, true, nil
}

// end ends a batch, unless it has fewer examples than wanted.
func (l *Lines) end(r *reader, x *tensor.Dense[float32], s state, want int) error {
	if s.samples < int64(want) {
		return fmt.Errorf("%s: %w: %d, want %d", l.Path, ErrDry, s.samples, want)
	}
	x.Shape[0] = int(s.samples)
	x.Data = x.Data[:x.Shape[0]*l.features] // without those of a line whose end is no example
	return l.moveTo(s, r.file)
}

// example reads a line.
func (l *Lines) example(x *tensor.Dense[float32], text string, label func(string) error) error {
	cells := strings.Split(text, ",")
	if len(cells) != l.features+1 {
		return fmt.Errorf("it has %d columns, want %d: the features %v and a label", len(cells), l.features+1, l.Shape)
	}
	for _, c := range cells[:l.features] {
		v, err := number(c)
		if err != nil {
			return err
		}
		x.Data = append(x.Data, v)
	}
	return label(strings.TrimSpace(cells[l.features]))
}

func number(cell string) (float32, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(cell), 32)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("a cell is %q, want a finite number", cell)
	}
	return float32(v), nil
}
