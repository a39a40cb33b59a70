package secagg

import (
	"cmp"
	"errors"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/internal/byround"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
	"github.com/bbgen/bbgen/runtime/wire"
)

// Sum implements the role Aggregator for masked vectors: their sum, which wraps around, followed by the peers
// whose vectors are in it. [Server] reads the result.
type Sum struct {
	sums byround.Values[sum]
}

// sum is the sum of vectors of one length in one execution.
type sum struct {
	x     []int32
	peers []wire.PeerID
	err   error // the error of a partial sum
}

// roomForPeers is the room behind a sum, so that the peers of a round can be appended without a copy of it.
const roomForPeers = 8*64 + 1

// Enter sets the execution to which the following calls belong.
func (s *Sum) Enter(r runtime.Round) { s.sums.Enter(r) }

// Leave forgets the vectors of an execution.
func (s *Sum) Leave(r runtime.Round) { s.sums.Leave(r) }

// Contribute adds a vector.
func (s *Sum) Contribute(from wire.PeerID, x *values.Large[int32], _ float32) error {
	if len(x.Shape()) != 1 {
		return errors.New("want a vector")
	}
	for y := range s.sums.All() {
		if len(y.x) == x.Len() {
			return y.add(from, x)
		}
	}
	n := x.Len()
	return s.sums.Add(&sum{x: make([]int32, n, n+roomForPeers)}).add(from, x)
}

func (s *sum) add(from wire.PeerID, x *values.Large[int32]) error {
	at := 0
	for part, err := range x.Parts() {
		if err != nil {
			s.err = err // a part of it is in the sum
			return err
		}
		add(s.x[at:at+len(part)], part)
		at += len(part)
	}
	s.peers = append(s.peers, from)
	return nil
}

// add adds x to dst, four elements at a time.
func add(dst, x []int32) {
	for ; len(x) >= 4 && len(dst) >= 4; dst, x = dst[4:], x[4:] {
		dst[0] += x[0]
		dst[1] += x[1]
		dst[2] += x[2]
		dst[3] += x[3]
	}
	for i, v := range x {
		dst[i] += v
	}
}

// Aggregate returns the sum of the vectors of the most frequent length, followed by the keys of their peers, in
// eight numbers each, and the number of peers.
func (s *Sum) Aggregate() (tensor.Dense[int32], error) {
	var most *sum
	for _, x := range s.sums.Take() {
		if most == nil || len(x.peers) > len(most.peers) {
			most = x
		}
	}
	switch {
	case most == nil:
		return tensor.Dense[int32]{}, errors.New("no peer has contributed")
	case most.err != nil:
		return tensor.Dense[int32]{}, most.err
	}
	slices.SortFunc(most.peers, wire.PeerID.Compare)
	out := append(most.x, make([]int32, 8*len(most.peers)+1)...)
	tail := out[len(most.x):]
	for i, p := range most.peers {
		putKey(tail[8*i:], p)
	}
	tail[len(tail)-1] = int32(len(most.peers))
	return tensor.DenseOf(out, len(out)), nil
}

// AppendBinary appends the sums so far.
func (s *Sum) AppendBinary(b []byte) ([]byte, error) {
	return s.sums.Append(b, func(b []byte, x *sum) []byte {
		b = values.AppendDense(b, tensor.DenseOf(x.x, len(x.x)))
		b = values.AppendScalar(b, x.err != nil)
		return values.AppendPeers(b, x.peers)
	}), nil
}

// UnmarshalBinary reads the output of AppendBinary.
func (s *Sum) UnmarshalBinary(b []byte) error {
	var read byround.Values[sum]
	f := values.NewFields(b)
	err := read.Read(f, readSum)
	if err := cmp.Or(err, f.End()); err != nil {
		return err
	}
	s.sums.Replace(read)
	return nil
}

func readSum(f *values.Fields, x *sum) error {
	var all tensor.Dense[int32]
	var broken bool
	values.ReadDense(f, &all)
	if values.ReadScalar(f, &broken); broken {
		x.err = errors.New("a vector could not be read")
	}
	f.Peers(&x.peers)
	x.x = all.Data
	return nil
}
