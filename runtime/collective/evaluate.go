package collective

// Evaluate is the plain computation of a call: it returns the results of all ranks for these values, which have
// one shape. It adds in the order of the call, so the bits are those of a [Group].
//
// The results of a repeated call are those of the remaining ranks.
func (s *Spec) Evaluate(values []Value) [][]byte {
	p := len(values)
	out := make([][]byte, p)
	if s.Kind == Barrier || s.Kind == Enter {
		return out
	}
	rows, row := s.units(values[0].Rows, values[0].Row)
	parts := make([][]byte, p)
	for i, v := range values {
		if s.Codec != Exact {
			parts[i] = s.encode(view[float32](v.Data), rows)
		} else {
			parts[i] = aligned(len(v.Data))
			copy(parts[i], v.Data)
		}
		out[i] = parts[i]
	}
	s.combine(out, parts, rows, row)
	if s.Codec == Exact {
		return out
	}
	for r := range out {
		v := Value{Rows: values[0].Rows, Row: values[0].Row, Data: out[r]}
		switch s.Kind {
		case AllGather:
			v.Rows *= p
		case ReduceScatter:
			v.Rows = share(v.Rows, p, r+1) - share(v.Rows, p, r)
		}
		out[r] = s.decoded(v, p).Data
	}
	return out
}

// combine sets out to what the ranks have in the end of the encoded values parts, which have rows of row units.
func (s *Spec) combine(out, parts [][]byte, rows, row int) {
	p := len(parts)
	_, size := s.unit()
	o := s.order(rows*row*size, p)
	switch s.Kind {
	case AllGather:
		all := []byte{}
		for _, x := range parts {
			all = append(all, x...)
		}
		fill(out, all)
	case Broadcast:
		fill(out, parts[s.Root])
	case Reduce:
		out[s.Root] = s.reduced(o, parts, s.Root, 1, 1)
	case ReduceScatter:
		all := s.reduced(o, parts, 0, p, row)
		for r := range out {
			out[r] = all[share(rows, p, r)*row*size : share(rows, p, r+1)*row*size]
		}
	default:
		segments := 1
		if o == around {
			segments = p
		}
		fill(out, s.reduced(o, parts, 0, segments, 1))
	}
}

func fill(out [][]byte, x []byte) {
	for i := range out {
		out[i] = x
	}
}

// reduced returns the reduction of all parts. Segments consist of whole rows of unit units.
func (s *Spec) reduced(o order, parts [][]byte, root, segments, unit int) []byte {
	_, size := s.unit()
	count := len(parts[0]) / max(size*unit, 1)
	out := aligned(len(parts[0]))
	for g := range segments {
		lo, hi := share(count, segments, g)*unit*size, share(count, segments, g+1)*unit*size
		segment := make([][]byte, len(parts))
		for r := range parts {
			segment[r] = aligned(hi - lo)
			copy(segment[r], parts[r][lo:hi])
		}
		copy(out[lo:hi], s.total(o, segment, g, root))
	}
	return out
}

// total returns the reduction of one segment of all ranks.
func (s *Spec) total(o order, x [][]byte, segment, root int) []byte {
	if o == inTurn {
		return s.totalWide(x)
	}
	p := len(x)
	at := func(r int) int { return (r + root) % p }
	if o == around {
		at = func(r int) int { return (segment + 1 + r) % p }
	}
	plus := func(i, j int) { combine(s, x[at(i)], x[at(i)], x[at(j)]) }
	if o == around {
		for r := 1; r < p; r++ {
			plus(0, r)
		}
	} else {
		for bit := powerBelow(p); bit > 0; bit /= 2 {
			for r := 0; r < bit && r+bit < p; r++ {
				plus(r, r+bit)
			}
		}
	}
	sum := x[at(0)]
	if s.Op == Mean {
		divide(s.Elem, sum, p)
	}
	return sum
}

func (s *Spec) totalWide(x [][]byte) []byte {
	per, size := s.unit()
	wide := make([]float32, len(x[0])/size*per)
	for r := range x {
		widen(s, wide, x[r], r == 0)
	}
	if s.Op == Mean {
		for i := range wide {
			wide[i] /= float32(len(x))
		}
	}
	narrow(s, x[0], wide)
	return x[0]
}
