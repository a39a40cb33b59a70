package train

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// sharding is the division of the optimizer's state among the members of a team, as in ZeRO stage 1. Each element of a
// weight has owners, which keep its state and update it: a first one, which sends the element to the others, and
// replicas.
//
// The owners follow from the members. These change only by sums and gathers, so all members know the same owners.
type sharding struct {
	model.ShardedSession
	rank      int // of this peer
	replicas  int // owners of an element besides the first
	weights   []model.Variable
	index     map[string]int  // of a weight, by name
	sizes     []int           // elements, by weight
	divisible []bool          // by weight
	kept      [][]model.Shard // by weight: of which elements the session keeps the state
	members   []int           // for which the owners are computed
	pieces    []piece         // all elements with their owners; nil before the state is divided
}

// newSharding returns the sharding of a session that still keeps everything.
func newSharding(p model.TrainProgram, s model.TrainSession, rank, replicas int) (*sharding, error) {
	shards, ok := s.(model.ShardedSession)
	if !ok {
		return nil, fmt.Errorf("%s: the program cannot divide the optimizer's state: generate it again with --peers", sourceOf(p))
	}
	d := &sharding{ShardedSession: shards, rank: rank, replicas: replicas, weights: model.Trained(s.State()), index: map[string]int{}}
	for i, w := range d.weights {
		n := w.Value.Len()
		d.index[w.Name] = i
		d.sizes, d.divisible = append(d.sizes, n), append(d.divisible, shards.Divisible(i))
		d.kept = append(d.kept, []model.Shard{{To: n}})
	}
	for _, v := range s.State() {
		if (v.Kind == model.Weight || v.Of != "") && v.Value.DType != tensor.Float32 {
			return nil, fmt.Errorf("%s: %s is %v, want float32 to divide the optimizer's state", sourceOf(p), v.Name, v.Value.DType)
		}
	}
	return d, nil
}

// ownersFor divides the elements among some members.
func (d *sharding) ownersFor(members []int) []piece {
	return ownersOf(d.sizes, d.divisible, members, d.replicas)
}

// assign determines the owners without moving any state: this rank has what it owns.
func (d *sharding) assign(members []int, pieces []piece) {
	d.members, d.pieces = slices.Clone(members), pieces
	d.keep(func(at int) bool { return slices.Contains(pieces[at].owners, d.rank) }, pieces)
}

// divide assigns state that is initial on all members.
func (d *sharding) divide(members []int) { d.assign(members, d.ownersFor(members)) }

// own assigns everything to one rank.
func (d *sharding) own(rank int) {
	d.assign([]int{rank}, ownersOf(d.sizes, d.divisible, []int{rank}, 0))
}

// keep keeps some of all pieces, and no others.
func (d *sharding) keep(keeps func(at int) bool, pieces []piece) {
	lists := make([][]model.Shard, len(d.weights))
	for at, p := range pieces {
		if !keeps(at) {
			continue
		}
		list := lists[p.weight]
		if last := len(list) - 1; last >= 0 && list[last].To == p.from {
			list[last].To = p.to
		} else {
			lists[p.weight] = append(list, model.Shard{From: p.from, To: p.to})
		}
	}
	for i, list := range lists {
		if list = model.Shards(list); !slices.Equal(list, d.kept[i]) {
			d.kept[i] = list
			d.Keep(i, list...)
		}
	}
}

// part returns the elements of a piece in a variable that belongs to its weight, or nil if this rank does not keep
// them.
func (d *sharding) part(p piece, v model.Variable) []float32 {
	for _, s := range d.kept[p.weight] {
		if s.From <= p.from && p.to <= s.To {
			return tensor.Data[float32](v.Value)[s.At+p.from-s.From:][:p.to-p.from]
		}
	}
	return nil
}

// indexOf returns the index of the weight to which a variable belongs, or -1.
func (d *sharding) indexOf(v model.Variable) int {
	if i, ok := d.index[v.Of]; ok {
		return i
	}
	return -1
}

// of returns the pieces of a weight.
func of(pieces []piece, weight int) []piece {
	from, _ := slices.BinarySearchFunc(pieces, weight, func(p piece, weight int) int { return p.weight - weight })
	to, _ := slices.BinarySearchFunc(pieces, weight+1, func(p piece, weight int) int { return p.weight - weight })
	return pieces[from:to]
}

// bytes returns the size of the optimizer's state that a rank is to keep, and of all. Each variable has the size of
// its weight.
func (d *sharding) bytes(members []int) (here, all int) {
	pieces := d.ownersFor(members)
	for _, v := range d.State() {
		for _, p := range of(pieces, d.indexOf(v)) {
			all += 4 * (p.to - p.from)
			if slices.Contains(p.owners, d.rank) {
				here += 4 * (p.to - p.from)
			}
		}
	}
	return here, all
}
