// Package stream implements the role DataSource for a file that grows: another program appends examples to it, and a
// peer trains with those that it has not seen. Nothing is read before it is needed, so that memory is limited to a
// batch, and the file is the buffer.
//
// A snapshot of the peer has its position in the file. A restarted peer continues with the first example whose batch is
// not in the snapshot; no example is trained twice or left out.
package stream

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
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

// state is what snapshots hold.
type state struct {
	position int64 // in bytes, of the first line that is not in a batch
	line     int64 // its number, from 0
	samples  int64 // of the last batch
}

// Source gives features as float32, and classes as int64.
type Source struct {
	Lines
	Classes []string // the words that are labels, by class; none: labels are numbers from 0
}

// Values gives features and labels as float32.
type Values struct{ Lines }

// longest is the maximum number of bytes of a line.
const longest = 64 << 10

// ErrDry is returned for a batch when too few examples have been appended. A peer that takes part in a round without data
// fails in it, and the others go on, as many as the quorum wants.
var ErrDry = errors.New("too few new examples")

// Open checks the configuration. The file need not exist yet.
func (l *Lines) Open(env runtime.Env) (err error) {
	switch {
	case env.Data == nil:
		return errors.New("stream: the peer has no data: give it a folder with -data")
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
			l.state = behind
			return fmt.Errorf("%s:%d: %w", l.Path, next.line+1, err)
		case err != nil:
			cut = true
		case !more:
			return l.end(x, next, cmp.Or(l.Least, 1))
		default:
			next = behind
		}
	}
	return l.end(x, next, 1)
}

// next reads the line at a state, and returns the state behind it. There are no more lines if its end has not been written.
func (l *Lines) next(r *reader, at state, x *tensor.Dense[float32], label func(string) error) (behind state, more bool, err error) {
	text, ok, err := r.line()
	if err != nil || !ok {
		return at, false, err
	}
	at.position += int64(len(text))
	at.line++
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
func (l *Lines) end(x *tensor.Dense[float32], s state, want int) error {
	if s.samples < int64(want) {
		return fmt.Errorf("%s: %w: %d, want %d", l.Path, ErrDry, s.samples, want)
	}
	l.state = s
	x.Shape[0] = int(s.samples)
	x.Data = x.Data[:x.Shape[0]*l.features] // without those of a line whose end is no example
	return nil
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

// reader reads the lines from the position on.
type reader struct {
	file fs.File
	buf  *bufio.Reader
}

// reader opens the file. One that has become shorter was replaced, as logs are: it is read from its beginning.
func (l *Lines) reader() (*reader, error) {
	f, err := l.data.Open(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: there is no such file yet", l.Path, ErrDry)
	}
	if err != nil {
		return nil, err
	}
	r := &reader{f, bufio.NewReaderSize(f, longest)}
	info, err := f.Stat()
	if err == nil && info.Size() < l.position {
		l.state = state{}
	}
	if err == nil {
		err = skip(f, l.position)
	}
	if err != nil {
		r.close()
		return nil, fmt.Errorf("%s: %w", l.Path, err)
	}
	return r, nil
}

// skip goes to a position.
func skip(f fs.File, n int64) error {
	if s, ok := f.(io.Seeker); ok {
		_, err := s.Seek(n, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, f, n)
	return err
}

// line returns the next line. It is not there if its end has not been written.
func (r *reader) line() (text string, ok bool, err error) {
	b, err := r.buf.ReadSlice('\n')
	switch {
	case err == io.EOF:
		return "", false, nil
	case errors.Is(err, bufio.ErrBufferFull):
		return "", false, fmt.Errorf("the line is longer than %d bytes", longest)
	}
	return string(b), err == nil, err
}

func (r *reader) close() { _ = r.file.Close() } // nothing was written

// AppendBinary appends the position.
func (l *Lines) AppendBinary(b []byte) ([]byte, error) {
	b = runtime.AppendScalar(runtime.AppendScalar(b, l.position), l.line)
	return runtime.AppendScalar(b, l.samples), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (l *Lines) UnmarshalBinary(b []byte) error {
	var read state
	f := runtime.NewFields(b)
	runtime.ReadScalar(f, &read.position)
	runtime.ReadScalar(f, &read.line)
	runtime.ReadScalar(f, &read.samples)
	if err := f.End(); err != nil {
		return err
	}
	if read.position < 0 || read.line < 0 || read.samples < 0 {
		return fmt.Errorf("stream: the position is %d, in line %d, want 0 or more", read.position, read.line)
	}
	l.state = read
	return nil
}
