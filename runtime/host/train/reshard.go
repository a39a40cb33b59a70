package train

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// update is the second half of a step. If the optimizer's state is divided, this peer updates its elements of the
// weights, and gets the others from their owners.
func (m *team) update(rate float64) error {
	if err := m.reshard(); err != nil {
		return err
	}
	if err := m.s.ApplyGradients(rate); err != nil || m.shards == nil || !m.isUpdate() {
		return err
	}
	var parcels []*parcel
	for _, p := range m.shards.pieces {
		data := tensor.Data[float32](m.shards.weights[p.weight].Value)
		parcels = append(parcels, &parcel{from: p.owners, n: p.to - p.from, data: data[p.from:p.to]})
	}
	return m.distribute(parcels)
}

// reshard divides the optimizer's state among the present members, if they have changed: new owners get the state
// from former ones.
func (m *team) reshard() error {
	for d := m.shards; d != nil && d.pieces != nil && !slices.Equal(d.members, m.members); {
		members := slices.Clone(m.members)
		lost, err := m.moveState(d.ownersFor(members))
		if err != nil {
			return err
		}
		d.members = members
		if lost != nil {
			m.stateLost(lost)
		}
	}
	return nil
}

// moveState gives the state to other owners, and returns what weights, or parts of them, no member has the state of.
func (m *team) moveState(to []piece) (lost []string, err error) {
	d := m.shards
	before, after := cut(d.pieces, to)
	d.keep(func(at int) bool {
		return slices.Contains(before[at].owners, d.rank) || slices.Contains(after[at].owners, d.rank)
	}, after)
	var parcels []*parcel
	var at []int // their pieces
	for _, v := range d.State() {
		for k, p := range after {
			if p.weight == d.indexOf(v) && isMissing(before[k].owners, p.owners) {
				parcels, at = append(parcels, &parcel{from: before[k].owners, n: p.to - p.from, data: d.part(p, v)}), append(at, k)
			}
		}
	}
	if err := m.distribute(parcels); err != nil {
		return nil, err
	}
	gone := make([]bool, len(after))
	for i, p := range parcels {
		gone[at[i]] = gone[at[i]] || !p.done
	}
	d.reset(after, gone)
	d.assign(d.members, to)
	return d.names(after, gone), nil
}

// isMissing reports whether a new owner was none before.
func isMissing(before, after []int) bool {
	return slices.ContainsFunc(after, func(rank int) bool { return !slices.Contains(before, rank) })
}

// reset sets the state of pieces that are gone to its initial values, and their averages to the weights.
func (d *sharding) reset(pieces []piece, gone []bool) {
	if !slices.Contains(gone, true) {
		return
	}
	keeps := make([]bool, len(pieces))
	for k, p := range pieces {
		keeps[k] = slices.Contains(p.owners, d.rank)
	}
	d.keep(func(at int) bool { return keeps[at] && !gone[at] }, pieces)
	d.keep(func(at int) bool { return keeps[at] }, pieces)
	for _, v := range d.State() {
		for k, p := range pieces {
			if v.Kind == model.Average && gone[k] && p.weight == d.indexOf(v) {
				copy(d.part(p, v), tensor.Data[float32](d.weights[p.weight].Value)[p.from:p.to])
			}
		}
	}
}

// names returns what is gone as text for users: w, or w[100:200] for a part.
func (d *sharding) names(pieces []piece, gone []bool) (list []string) {
	var lost []piece
	for k, p := range pieces {
		switch last := len(lost) - 1; {
		case !gone[k]:
		case last >= 0 && lost[last].weight == p.weight && lost[last].to == p.from:
			lost[last].to = p.to
		default:
			lost = append(lost, p)
		}
	}
	for _, p := range lost {
		name := d.weights[p.weight].Name
		if p.to-p.from < d.sizes[p.weight] {
			name += fmt.Sprintf("[%d:%d]", p.from, p.to)
		}
		list = append(list, name)
	}
	return list
}

// gatherState returns the whole state on the leader, and nil on the others. All members call it.
func (m *team) gatherState() ([]model.Variable, error) {
	for {
		if err := m.reshard(); err != nil {
			return nil, err
		}
		d, leader, list := m.shards, m.members[0], m.s.State()
		var parcels []*parcel
		for k, v := range list {
			parcels = append(parcels, d.whole(&list[k], of(d.pieces, d.indexOf(v)), leader)...)
		}
		if err := m.distribute(parcels); err != nil {
			return nil, err
		}
		if !slices.Equal(d.members, m.members) {
			continue // a lost member may have had a part
		}
		if leader != d.rank {
			return nil, nil
		}
		return list, nil
	}
}

// whole returns the parcels that the leader needs to have all of a variable. Its value is then a tensor into which they
// are written, if this rank is the leader.
func (d *sharding) whole(v *model.Variable, pieces []piece, leader int) (parcels []*parcel) {
	kept := *v
	isKept := func(p piece) bool { return slices.Contains(p.owners, leader) }
	if leader == d.rank && slices.ContainsFunc(pieces, func(p piece) bool { return !isKept(p) }) {
		v.Value = tensor.New(tensor.Float32, d.weights[pieces[0].weight].Value.Shape...)
	}
	for _, p := range pieces {
		data := d.part(p, kept)
		switch {
		case leader == d.rank && isKept(p) && v.Value != kept.Value:
			copy(tensor.Data[float32](v.Value)[p.from:p.to], data)
			continue
		case isKept(p):
			continue
		case leader == d.rank:
			data = tensor.Data[float32](v.Value)[p.from:p.to]
		}
		parcels = append(parcels, &parcel{from: p.owners, n: p.to - p.from, data: data})
	}
	return parcels
}
