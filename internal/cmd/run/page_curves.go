package run

import "github.com/bbgen/bbgen/runtime/host/live"

// emitted records a value emitted by a peer of a class.
func (p *page) emitted(e event) {
	i, ok := p.board.byName[e.Peer]
	x, isNumber := scalar(e.Value)
	if !ok || !isNumber {
		return
	}
	r := &p.board.rows[i]
	name := r.valueName(e.Name)
	if p.curves[name] == nil {
		p.curves[name] = map[string]*roundMeans{}
	}
	m := p.curves[name][r.class]
	if m == nil {
		m = &roundMeans{}
		p.curves[name][r.class] = m
	}
	m.add(r.round, x)
}

// roundMeans holds the means over the peers of a class of a value in each round.
type roundMeans struct {
	live.Curve
	round uint64
	sum   float64
	n     int
}

func (m *roundMeans) add(round uint64, x float64) {
	if round > m.round && m.n > 0 {
		m.Add(float64(m.round), m.sum/float64(m.n))
		m.sum, m.n = 0, 0
	}
	m.round = max(m.round, round)
	m.sum += x
	m.n++
}

// curve returns the means up to the current round.
func (m *roundMeans) curve() *live.Curve {
	c := m.Clone()
	c.Add(float64(m.round), m.sum/float64(m.n))
	return c
}
