package collective

// Traffic is the traffic of a call: the algorithm, messages and bytes of all ranks together, the bytes that the
// busiest rank sends, and the number of consecutive rounds.
type Traffic struct {
	Algorithm                Algorithm
	Messages, Bytes, Busiest int64
	Rounds                   int
}

// Traffic computes the traffic of a call on some ranks with values of n bytes, in chunks of [DefaultChunk], if all
// know these links.
func (s *Spec) Traffic(n, ranks int, l Links) (t Traffic) {
	if s.Kind == Enter {
		return t // as long as no rank joins
	}
	n = s.sentBytes(n)
	_, size := s.unit()
	a, o := s.choose(n, ranks, l), s.order(n, ranks)
	t.Algorithm = a
	t.Rounds, _ = s.Cost(a, n, ranks)
	segments := s.segments(a, ranks)
	for at := range ranks {
		me := position{at, ranks}
		var sent int64
		for g := range segments {
			part := n
			if s.Kind != AllGather {
				part = size * (share(n/size, segments, g+1) - share(n/size, segments, g))
			}
			for _, x := range s.plan(a, o, me, g, min(s.Root, ranks-1)) {
				if x.do == send {
					sent += int64(part)
					t.Messages += int64((part + DefaultChunk - 1) / DefaultChunk)
				}
			}
		}
		for _, x := range confirm(me) {
			if x.do == send {
				t.Messages++
			}
		}
		t.Bytes += sent
		t.Busiest = max(t.Busiest, sent)
	}
	return t
}
