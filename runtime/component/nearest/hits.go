// Package nearest implements a search over several shards: each peer holds a part of the vectors in an index, a
// query goes to all of them or to those with near vectors, and their results are merged.
//
//	// on a shard, with a nearest.Pack in the slot Hits
//	hits := s.Hits.Call(g, "Pack", dsl.GoType(nearest.Hits{}, nearest.Size(10, 1)), ids, distances)
//
//	// on the asking peer, with a nearest.Merge in the slot Merge, and a nearest.Pack
//	found := f.Merge.Aggregate(g, f.Merge.Contribute(g, hits, dsl.Value{}), dsl.Quorum(1), all)
//	out := f.Hits.CallN(g, "Unpack", []dsl.Type{ranks, numbers, distances, ranks}, found)
package nearest

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Hit is a vector that was found: the rank of its shard, its number there, and its distance from the query.
type Hit struct {
	Shard    int32
	ID       uint64
	Distance float32
}

// Hits is the result of a search, the nearest first, and the ranks of the shards that have answered.
type Hits struct {
	List   []Hit
	Shards []int32
}

// encoded sizes of a hit and of a rank.
const hitSize, rankSize = 16, 4

// Size returns the encoded size of hits of a number of shards, for the type of an edge.
func Size(hits, shards int) int { return 2*binary.MaxVarintLen32 + hits*hitSize + shards*rankSize }

// AppendBinary appends the hits.
func (h *Hits) AppendBinary(b []byte) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(h.List)))
	for _, x := range h.List {
		b = binary.LittleEndian.AppendUint32(b, uint32(x.Shard))
		b = binary.LittleEndian.AppendUint64(b, x.ID)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x.Distance))
	}
	b = binary.AppendUvarint(b, uint64(len(h.Shards)))
	for _, s := range h.Shards {
		b = binary.LittleEndian.AppendUint32(b, uint32(s))
	}
	return b, nil
}

var errHits = errors.New("these bytes are no hits")

// UnmarshalBinary reads hits, and returns an error for invalid ones: hits that are not sorted, or have an
// invalid distance.
func (h *Hits) UnmarshalBinary(b []byte) error {
	list, b, err := count(b, hitSize)
	if err != nil {
		return err
	}
	read := Hits{List: make([]Hit, list)}
	for i := range read.List {
		read.List[i] = Hit{int32(binary.LittleEndian.Uint32(b)), binary.LittleEndian.Uint64(b[4:]), math.Float32frombits(binary.LittleEndian.Uint32(b[12:]))}
		b = b[hitSize:]
	}
	shards, b, err := count(b, rankSize)
	if err != nil || len(b) != shards*rankSize {
		return errHits
	}
	for ; len(b) > 0; b = b[rankSize:] {
		read.Shards = append(read.Shards, int32(binary.LittleEndian.Uint32(b)))
	}
	if err := read.check(); err != nil {
		return err
	}
	*h = read
	return nil
}

// count reads the number of the following items of a size.
func count(b []byte, size int) (n int, rest []byte, err error) {
	k, used := binary.Uvarint(b)
	if used <= 0 || k > uint64(len(b)-used)/uint64(size) {
		return 0, nil, errHits
	}
	return int(k), b[used:], nil
}

func (h *Hits) check() error {
	for i, x := range h.List {
		if !(x.Distance >= 0) || x.Shard < 0 {
			return fmt.Errorf("hit %d is of shard %d at a distance of %v", i, x.Shard, x.Distance)
		}
		if i > 0 && order(h.List[i-1], x) >= 0 {
			return fmt.Errorf("hit %d is not farther than the one before", i)
		}
	}
	return nil
}

// order sorts hits by distance, then by shard and number.
func order(a, b Hit) int {
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Shard, b.Shard), cmp.Compare(a.ID, b.ID))
}

// Pack converts the result of an index to Hits, and Hits to tensors.
type Pack struct{ rank int32 }

// Open sets the rank of the shard.
func (p *Pack) Open(env runtime.Env) error {
	p.rank = int32(env.Rank)
	return nil
}

// AppendBinary appends nothing: Open sets the rank.
func (p *Pack) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads nothing.
func (p *Pack) UnmarshalBinary([]byte) error { return nil }

// Pack returns the hits of this shard from the result of an index.
func (p *Pack) Pack(ids tensor.Dense[uint64], distances tensor.Dense[float32]) (Hits, error) {
	if len(ids.Data) != len(distances.Data) {
		return Hits{}, fmt.Errorf("%d numbers for %d distances", len(ids.Data), len(distances.Data))
	}
	h := Hits{List: make([]Hit, len(ids.Data)), Shards: []int32{p.rank}}
	for i, id := range ids.Data {
		h.List[i] = Hit{p.rank, id, distances.Data[i]}
	}
	slices.SortFunc(h.List, order)
	return h, h.check()
}

// Unpack returns the rank of the shard, the number and the distance of each hit, and the ranks of the shards
// that have answered.
func (p *Pack) Unpack(h Hits) (shards tensor.Dense[int32], ids tensor.Dense[uint64], distances tensor.Dense[float32], answered tensor.Dense[int32], err error) {
	n := len(h.List)
	shards.Resize(n)
	ids.Resize(n)
	distances.Resize(n)
	for i, x := range h.List {
		shards.Data[i], ids.Data[i], distances.Data[i] = x.Shard, x.ID, x.Distance
	}
	return shards, ids, distances, tensor.DenseOf(slices.Clone(h.Shards), len(h.Shards)), nil
}
