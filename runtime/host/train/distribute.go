package train

import (
	"fmt"
	"slices"
)

// gatherElements is how many elements each peer sends in one gather: this bounds the memory for the result.
const gatherElements = 1 << 18

// parcel is a list of values that some ranks have and others get.
type parcel struct {
	from []int     // the ranks that have it: the first member among them sends it
	n    int       // elements
	data []float32 // of this rank; nil: it neither has nor needs them
	done bool      // all members have had them
}

// distribute sends parcels to all members, which call it with the same parcels. If a member is lost meanwhile, the
// next rank that has a parcel sends it. Parcels that no member has are not done.
func (m *team) distribute(parcels []*parcel) error {
	for {
		streams := map[int]stream{}
		for _, p := range parcels {
			if i := slices.IndexFunc(p.from, func(rank int) bool { return slices.Contains(m.members, rank) }); i >= 0 && !p.done {
				streams[p.from[i]] = append(streams[p.from[i]], p)
			}
		}
		if len(streams) == 0 {
			return nil
		}
		if err := m.gatherStreams(streams); err != nil {
			return err
		}
	}
}

// gatherStreams sends what each rank gives. The streams of lost ranks are not done then.
func (m *team) gatherStreams(streams map[int]stream) error {
	at := 0
	for _, n := range rows(streams) {
		row := make([]float32, n)
		row[0] = float32(m.Rank())
		streams[m.Rank()].each(at, row[1:], func(data, part []float32) { copy(part, data) })
		rows, err := m.gather(row)
		if err != nil {
			return err
		}
		for rank, s := range streams {
			if part := rows[rank]; part == nil {
				delete(streams, rank)
			} else if rank != m.Rank() {
				s.each(at, part, func(data, part []float32) { copy(data, part) })
			}
		}
		at += n - 1
	}
	for _, s := range streams {
		for _, p := range s {
			p.done = true
		}
	}
	return nil
}

// rows returns the sizes of the rows that each rank sends for some streams, with the rank before the elements.
func rows(streams map[int]stream) (sizes []int) {
	longest := 0
	for _, s := range streams {
		longest = max(longest, s.len())
	}
	for at := 0; at < longest; at += gatherElements {
		sizes = append(sizes, 1+min(gatherElements, longest-at))
	}
	return sizes
}

// gather returns the rows of all members by rank, without their first elements, which are the ranks. Lost peers are
// no members any more then.
func (m *team) gather(row []float32) (map[int][]float32, error) {
	all, err := m.Gather(row)
	if err != nil {
		return nil, &groupError{err}
	}
	rows := map[int][]float32{}
	for part := range slices.Chunk(all, len(row)) {
		rank := int(part[0])
		if !slices.Contains(m.members, rank) || rows[rank] != nil || len(part) != len(row) {
			return nil, &groupError{fmt.Errorf("a peer sends %d values as rank %d, want %d of one of %v, each once", len(part), rank, len(row), m.members)}
		}
		rows[rank] = part[1:]
	}
	return rows, m.without(func(rank int) bool { return rows[rank] == nil })
}

// without removes lost members.
func (m *team) without(isLost func(rank int) bool) error {
	var there, lost []int
	for _, rank := range m.members {
		if isLost(rank) {
			lost = append(lost, rank)
		} else {
			there = append(there, rank)
		}
	}
	m.members = there
	if lost == nil {
		return nil
	}
	return m.lost(lost)
}

// stream is the parcels of one rank, one after the other.
type stream []*parcel

func (s stream) len() (n int) {
	for _, p := range s {
		n += p.n
	}
	return n
}

// each calls f with the elements of this rank that part holds or is to hold, which begins at an element of the
// stream.
func (s stream) each(at int, part []float32, f func(data, part []float32)) {
	first := 0 // of a parcel
	for _, p := range s {
		from, to := max(at, first), min(at+len(part), first+p.n)
		if from < to && p.data != nil {
			f(p.data[from-first:to-first], part[from-at:to-at])
		}
		first += p.n
	}
}
