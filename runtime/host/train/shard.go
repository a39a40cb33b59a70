package train

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// sharding is the division of the optimizer's state among the members of a team, as in ZeRO stage 1. Each weight has
// owners, which keep its state and update it: a first one, which sends the weight to the others, and replicas.
//
// The owners follow from the members. These change only by sums and gathers, so all members know the same owners.
type sharding struct {
	runtime.ShardedSession
	rank     int // of this peer
	replicas int // owners of a weight besides the first
	weights  []runtime.Variable
	index    map[string]int // of a weight, by name
	sizes    []int          // elements, by weight
	kept     []bool         // by weight: the session keeps its state
	members  []int          // for which the owners are computed
	owners   [][]int        // by weight; nil before the state is divided
}

// newSharding returns the sharding of a session that still keeps everything.
func newSharding(p runtime.TrainProgram, s runtime.TrainSession, rank, replicas int) (*sharding, error) {
	shards, ok := s.(runtime.ShardedSession)
	if !ok {
		return nil, fmt.Errorf("%s: the program cannot divide the optimizer's state: generate it again with --peers", sourceOf(p))
	}
	d := &sharding{ShardedSession: shards, rank: rank, replicas: replicas, weights: runtime.Trained(s.State()), index: map[string]int{}}
	for i, w := range d.weights {
		d.index[w.Name] = i
		d.sizes, d.kept = append(d.sizes, w.Value.Len()), append(d.kept, true)
	}
	for _, v := range s.State() {
		if (v.Kind == runtime.Weight || v.Of != "") && v.Value.DType != tensor.Float32 {
			return nil, fmt.Errorf("%s: %s is %v, want float32 to divide the optimizer's state", sourceOf(p), v.Name, v.Value.DType)
		}
	}
	return d, nil
}

// assign determines the owners without moving any state: this rank has what it owns.
func (d *sharding) assign(members []int, owners [][]int) {
	d.members, d.owners = slices.Clone(members), owners
	for i, list := range owners {
		d.keep(i, slices.Contains(list, d.rank))
	}
}

// divide assigns state that is initial on all members.
func (d *sharding) divide(members []int) {
	d.assign(members, ownersOf(d.sizes, members, d.replicas))
}

// own assigns everything to one rank.
func (d *sharding) own(rank int) {
	d.assign([]int{rank}, ownersOf(d.sizes, []int{rank}, 0))
}

// keep sets whether the session keeps the state of a weight.
func (d *sharding) keep(i int, keeps bool) {
	if d.kept[i] != keeps {
		d.kept[i] = keeps
		d.Keep(i, keeps)
	}
}

// reset sets the state of a weight that is lost to its initial values, and its average to the weight.
func (d *sharding) reset(i int) {
	if !d.kept[i] {
		return
	}
	d.Keep(i, true)
	for _, v := range d.State() {
		if d.indexOf(v) == i && v.Kind == runtime.Average {
			copy(v.Value.Bytes(), d.weights[i].Value.Bytes())
		}
	}
}

// indexOf returns the index of the weight to which a variable belongs, or -1.
func (d *sharding) indexOf(v runtime.Variable) int {
	if i, ok := d.index[v.Of]; ok {
		return i
	}
	return -1
}

// parcel returns a variable's elements, which the owners of weight i have.
func (d *sharding) parcel(i int, v runtime.Variable) *parcel {
	p := &parcel{from: d.owners[i], n: d.sizes[i]}
	if v.Value != nil {
		p.data = tensor.Data[float32](v.Value)
	}
	return p
}

// bytes returns the size of the optimizer's state that a rank is to keep, and of all. Each variable has the size of
// its weight.
func (d *sharding) bytes(members []int) (here, all int) {
	owners := ownersOf(d.sizes, members, d.replicas)
	for _, v := range d.State() {
		if i := d.indexOf(v); i >= 0 {
			all += 4 * d.sizes[i]
			if slices.Contains(owners[i], d.rank) {
				here += 4 * d.sizes[i]
			}
		}
	}
	return here, all
}
