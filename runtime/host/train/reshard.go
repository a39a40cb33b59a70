package train

import (
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// update is the second half of a step. If the optimizer's state is divided, this peer updates its weights, and gets
// the others from their owners.
func (m *team) update(rate float64) error {
	if err := m.reshard(); err != nil {
		return err
	}
	if err := m.s.ApplyGradients(rate); err != nil || m.shards == nil || !m.isUpdate() {
		return err
	}
	var parcels []*parcel
	for i, w := range m.shards.weights {
		parcels = append(parcels, m.shards.parcel(i, w))
	}
	return m.distribute(parcels)
}

// reshard divides the optimizer's state among the present members, if they have changed: new owners get the state
// from former ones.
func (m *team) reshard() error {
	for d := m.shards; d != nil && d.owners != nil && !slices.Equal(d.members, m.members); {
		members := slices.Clone(m.members)
		lost, err := m.moveState(ownersOf(d.sizes, members, d.replicas))
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

// moveState gives the state to other owners, and returns the names of weights whose state no member has.
func (m *team) moveState(owners [][]int) (lost []string, err error) {
	d := m.shards
	missing := make([]bool, len(owners)) // by weight: a new owner does not have the state
	for i, list := range owners {
		missing[i] = slices.ContainsFunc(list, func(rank int) bool { return !slices.Contains(d.owners[i], rank) })
		if slices.Contains(list, d.rank) {
			d.keep(i, true)
		}
	}
	var parcels []*parcel
	var of []int // their weights
	for _, v := range d.State() {
		if i := d.indexOf(v); i >= 0 && missing[i] {
			parcels, of = append(parcels, d.parcel(i, v)), append(of, i)
		}
	}
	if err := m.distribute(parcels); err != nil {
		return nil, err
	}
	for k, p := range parcels {
		if name := d.weights[of[k]].Name; !p.done && !slices.Contains(lost, name) {
			d.reset(of[k])
			lost = append(lost, name)
		}
	}
	d.assign(d.members, owners)
	return lost, nil
}

// gatherState returns the whole state on the leader, and nil on the others. All members call it.
func (m *team) gatherState() ([]runtime.Variable, error) {
	for {
		if err := m.reshard(); err != nil {
			return nil, err
		}
		d, leader, list := m.shards, m.members[0], m.s.State()
		var parcels []*parcel
		for k, v := range list {
			i := d.indexOf(v)
			if i < 0 || slices.Contains(d.owners[i], leader) {
				continue
			}
			if leader == d.rank {
				list[k].Value = tensor.New(tensor.Float32, d.weights[i].Value.Shape...)
			}
			parcels = append(parcels, d.parcel(i, list[k]))
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
