package vet

// quorums reports quorums of more peers than are asked, with which the aggregation would fail in each
// execution.
func (p *program) quorums() {
	for _, c := range p.calls {
		if c.of != "Aggregator" || c.name != "Aggregate" && c.name != "AggregateWeighted" {
			continue
		}
		for _, x := range c.Args {
			q := p.made(x)
			if q == nil || q.name != "Quorum" || len(q.Args) != 1 {
				continue
			}
			k, ok := p.number(q.Args[0])
			asked, known := p.asked(c)
			switch {
			case ok && k < 0:
				p.Reportf(q.Pos(), "the quorum is %d, want 1 or more, or All", k)
			case ok && known && k > asked:
				p.Reportf(q.Pos(), "the quorum is %d, and %d can answer at most: it is never reached", k, asked)
			}
		}
	}
}

// asked returns the maximum number of peers that contribute to an aggregate, if it is constant.
func (p *program) asked(aggregate *call) (int64, bool) {
	contributed := p.arg(aggregate, 1)
	if contributed == nil || contributed.name != "Contribute" {
		return 0, false
	}
	input := p.arg(contributed, 1)
	if input == nil || input.name != "Input" {
		return 0, false
	}
	for i := range input.Args {
		if from := p.arg(input, i); from != nil && from.name == "From" {
			return p.peers(p.arg(from, 0))
		}
	}
	return 0, false
}

// peers returns the maximum number of peers that a call returns.
func (p *program) peers(set *call) (int64, bool) {
	switch {
	case set == nil:
		return 0, false
	case set.of == "Graph" && (set.name == "PeerInTurn" || set.name == "Self" || set.name == "Sender"):
		return 1, true
	case set.of == "Graph" && (set.name == "PeerHealthGateTx" || set.name == "BackoffGateTx"):
		return p.peers(p.arg(set, 0))
	case set.of == "PeerSelector" && (set.name == "Sample" || set.name == "SelectRandom") && len(set.Args) > 1:
		return p.number(set.Args[1])
	case set.of == "PeerSelector" && set.name == "SelectNear" && len(set.Args) > 2:
		return p.number(set.Args[2])
	}
	return 0, false
}

// arg returns the call that an argument comes from.
func (p *program) arg(c *call, i int) *call {
	if i >= len(c.Args) {
		return nil
	}
	return p.made(c.Args[i])
}
