package train

import (
	"sync"
	"testing"
)

// dying is a group whose peer is lost instead of its last gather.
type dying struct {
	one
	left int
}

func (d *dying) Gather(x []float32) ([]float32, error) {
	if d.left--; d.left == 0 {
		return nil, errKilled
	}
	return d.one.Gather(x)
}

// TestDistributeLoss sends values of several gathers, of which one rank is lost after the first: what it has alone is
// missing, and what another rank has, too, comes from there.
func TestDistributeLoss(t *testing.T) {
	const n = gatherElements + 1000
	c := newCircle(3)
	var wg sync.WaitGroup
	for rank := range 3 {
		d := &dying{one{c, rank}, 100}
		if rank == 1 {
			d.left = 2
		}
		m := &team{Group: d, members: []int{0, 1, 2}, lost: func([]int) error { return nil }}
		var parcels []*parcel
		for k, from := range [][]int{{0}, {1, 2}, {1}, {2, 1}} {
			p := &parcel{from: from, n: n, data: make([]float32, n)}
			for _, r := range from {
				for i := range p.data {
					if r == rank {
						p.data[i] = float32(k*n + i)
					}
				}
			}
			parcels = append(parcels, p)
		}
		if rank == 0 {
			parcels[3].data = nil // it needs those of the others only
		}
		wg.Go(func() {
			err := m.distribute(parcels)
			if rank == 1 {
				c.leave(rank)
				return
			}
			if err != nil || len(m.members) != 2 {
				t.Errorf("rank %d: %v, members %v", rank, err, m.members)
			}
			for k, p := range parcels {
				if p.done != (k != 2) {
					t.Errorf("rank %d: parcel %d is done: %v", rank, k, p.done)
				}
				for i, v := range p.data {
					if p.done && v != float32(k*n+i) {
						t.Errorf("rank %d: element %d of parcel %d is %v", rank, i, k, v)
						break
					}
				}
			}
		})
	}
	wg.Wait()
}

// lying is a group whose gathers return something else.
type lying struct {
	one
	all []float32
}

func (l lying) Gather([]float32) ([]float32, error) { return l.all, nil }

// TestGatherHostile refuses rows that are not of one member each.
func TestGatherHostile(t *testing.T) {
	for name, all := range map[string][]float32{
		"one rank twice": {0, 5, 0, 6}, "no member": {0, 5, 3, 6}, "no rank": {0, 5, -1, 6}, "half a row": {0, 5, 1},
	} {
		m := &team{Group: lying{one{newCircle(2), 0}, all}, members: []int{0, 1}}
		if _, err := m.gather([]float32{0, 5}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
