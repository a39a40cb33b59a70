package parts

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/dataset"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/component/stream"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// Names and sizes of the peers' data.
const (
	streamed = "stream.csv"
	records  = 4096 // lines of the stream, more than a program reads
	divided  = "divided"
	examples = 18 // of the set that peers divide
	batch    = 2
)

// data is the folder of each peer: a stream whose lines are labelled by their number, and a set whose examples are.
var data = sync.OnceValue(func() fs.FS {
	var lines strings.Builder
	x, y := tensor.New(tensor.Uint8, examples, 1, 1), tensor.New(tensor.Uint8, examples)
	for i := range records {
		fmt.Fprintf(&lines, "%d,%d\n", i%16-8, i)
	}
	for i := range examples {
		tensor.Data[uint8](x)[i], tensor.Data[uint8](y)[i] = uint8(i), uint8(i)
	}
	return fstest.MapFS{
		streamed:                             {Data: []byte(lines.String())},
		divided + "/train-images-idx3-ubyte": {Data: idx(x)},
		divided + "/train-labels-idx1-ubyte": {Data: idx(y)},
	}
})

func idx(x *tensor.Tensor) []byte {
	b, err := dataset.AppendIDX(nil, x)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return b
}

// Streamed reads a stream, each line once.
type Streamed struct {
	stream.Values
	read int64
}

// NewStreamed returns a reader of the peers' stream.
func NewStreamed() *Streamed {
	return &Streamed{Values: stream.Values{Lines: stream.Lines{Path: streamed, Batch: batch, Shape: []int{1}}}}
}

// Step returns a with the first of the next lines.
func (s *Streamed) Step(a, _ Model) (Model, error) {
	x, y, err := s.NextBatch()
	if err != nil {
		return a, err
	}
	for i, line := range y.Data {
		if want := s.read + int64(i); int64(line) != want {
			return a, fmt.Errorf("line %v was read, want %d", line, want)
		}
	}
	s.read += int64(len(y.Data))
	return withFirst(a, x.Data[0]), nil
}

// AppendBinary appends the state.
func (s *Streamed) AppendBinary(b []byte) ([]byte, error) {
	return s.Values.AppendBinary(values.AppendScalar(b, s.read))
}

// UnmarshalBinary sets the state.
func (s *Streamed) UnmarshalBinary(b []byte) error {
	read := values.AppendScalar(nil, s.read) // a scalar of the same size
	f := values.NewFields(b[:min(len(read), len(b))])
	values.ReadScalar(f, &s.read)
	if err := f.End(); err != nil {
		return err
	}
	return s.Values.UnmarshalBinary(b[len(read):])
}

// Share reads the examples of a peer, each once in an epoch.
type Share struct {
	shard.Source
	owners [examples]int64 // the rank of each example's peer
	rank   int64
	seen   int64 // the examples of this epoch, a bit for each
	steps  int64
}

// NewShare returns a reader of a peer's share.
func NewShare() *Share { return &Share{Source: shard.Source{Path: divided, Batch: batch, Peers: Many}} }

// Open divides the set as all peers do. Each example must belong to one of them.
func (s *Share) Open(env runtime.Env) error {
	for i := range s.owners {
		s.owners[i] = -1
	}
	for rank := range Many {
		other := env
		other.Rank = rank
		if err := s.assign(other); err != nil {
			return err
		}
	}
	s.rank = int64(env.Rank)
	return s.Source.Open(env)
}

// assign reads the whole share of a peer.
func (s *Share) assign(env runtime.Env) error {
	all := shard.Source{Path: divided, Peers: Many}
	if err := all.Open(env); err != nil {
		return err
	}
	_, y, err := all.NextBatch()
	if err != nil || len(y.Data) != examples/Many {
		return fmt.Errorf("the share of peer %d is %d examples (%v), want %d", env.Rank, len(y.Data), err, examples/Many)
	}
	for _, i := range y.Data {
		if s.owners[i] >= 0 {
			return fmt.Errorf("example %d belongs to the peers %d and %d", i, s.owners[i], env.Rank)
		}
		s.owners[i] = int64(env.Rank)
	}
	return nil
}

// Step returns a with the number of the next example.
func (s *Share) Step(a, _ Model) (Model, error) {
	_, y, err := s.NextBatch()
	if err != nil {
		return a, err
	}
	if s.steps%(examples/Many/batch) == 0 {
		s.seen = 0
	}
	s.steps++
	for _, i := range y.Data {
		if s.owners[i] != s.rank || s.seen>>i&1 != 0 {
			return a, fmt.Errorf("example %d of peer %d came to peer %d, after those in %b", i, s.owners[i], s.rank, s.seen)
		}
		s.seen |= 1 << i
	}
	return withFirst(a, float32(y.Data[0])/2-4), nil
}

// AppendBinary appends the state.
func (s *Share) AppendBinary(b []byte) ([]byte, error) {
	return s.Source.AppendBinary(values.AppendScalar(values.AppendScalar(b, s.seen), s.steps))
}

// UnmarshalBinary sets the state.
func (s *Share) UnmarshalBinary(b []byte) error {
	own := len(values.AppendScalar(values.AppendScalar(nil, s.seen), s.steps))
	f := values.NewFields(b[:min(own, len(b))])
	values.ReadScalar(f, &s.seen)
	values.ReadScalar(f, &s.steps)
	if err := f.End(); err != nil {
		return err
	}
	return s.Source.UnmarshalBinary(b[own:])
}
