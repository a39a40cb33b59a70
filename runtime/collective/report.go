package collective

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// report is the report of a rank at the end of an epoch.
type report struct {
	lost    []bool
	joins   []uint64
	doubts  bool   // ranks have chosen different algorithms
	entered uint64 // the number of calls of Enter that it or any rank that it has heard has begun
	links   Links  // that it has measured
	streams []progress

	signature []byte // of its rank, or nil: see [Group.sign]
}

// maxEntered is more calls of Enter than any rank begins. Calls that follow have numbers, too.
const maxEntered = 1 << 62

// progress is a rank's progress in a stream: the number of calls whose results it has, the number of those
// that were delivered, and the numbers of contributions to the last two unconfirmed results. Calls that failed count as
// delivered. If results are delivered only when all have them, no number of contributions is needed: then the second number
// is allFailed plus the number of the first call that failed after the last one with a result, unless none did.
type progress struct {
	first           uint64 // the first call in which it takes part
	done, delivered uint64
	ranks           [2]uint64
}

// allFailed is more than any number of contributions, and than any number of a call.
const allFailed = 1 << 62

// failed reports whether a call has failed there that counts as delivered. It is for calls that some rank has not delivered, of
// streams whose results are delivered when all ranks have confirmed them.
func (p *progress) failed(call uint64) bool {
	return p.ranks[1] >= allFailed && call >= p.ranks[1]-allFailed && call < p.delivered
}

// links returns the worst of what the remaining members have measured.
func (d *decision) links() (l Links) {
	for _, r := range d.reports {
		if r != nil {
			l = l.worst(r.links)
		}
	}
	return l
}

// decision is the end of an epoch.
type decision struct {
	epoch   Epoch
	lost    []bool
	joins   []uint64
	doubts  bool
	reports []*report // by rank; nil for lost ranks and ranks that were not members
}

// keepsMembers reports whether the next epoch has the same members.
func (d *decision) keepsMembers() bool { return (&report{lost: d.lost, joins: d.joins}).keepsMembers() }

// report returns this rank's report.
func (g *Group) report(lost []bool) *report {
	return g.sign(&report{lost: lost, joins: slices.Clone(g.joins), doubts: g.doubts, entered: g.entered, links: g.links, streams: g.progress()})
}

// progress returns this rank's progress by stream.
func (g *Group) progress() []progress {
	all := make([]progress, len(g.streams))
	for i := range g.streams {
		s := &g.streams[i]
		p := progress{first: s.first, done: s.next, delivered: s.next}
		for k := len(s.calls) - 1; k >= 0; k-- {
			c := s.calls[k]
			if c.delivered { // it continues only to help others
				continue
			}
			p.delivered = c.number
			if c.state != holding {
				p.done = c.number
			}
		}
		for _, c := range s.calls {
			if back := p.done - 1 - c.number; c.number < p.done && back < 2 {
				p.ranks[back] = uint64(c.ranks)
			}
		}
		if !s.spec.Kind.atOnce() && s.failing < p.delivered {
			p.ranks[1] = allFailed + s.failing
		}
		all[i] = p
	}
	return all
}

// append writes a report without its signature.
func (r *report) append(b []byte) []byte { return r.links.append(r.appendChanges(b)) }

// appendChanges writes the lost ranks, and the progress of the rank.
func (r *report) appendChanges(b []byte) []byte {
	b = appendUints(appendRanks(b, r.lost), r.joins)
	b = binary.AppendUvarint(appendRanks(b, []bool{r.doubts}), r.entered)
	for _, p := range r.streams {
		for _, x := range [...]uint64{p.first, p.done, p.delivered, p.ranks[0], p.ranks[1]} {
			b = binary.AppendUvarint(b, x)
		}
	}
	return b
}

// appendSigned writes a report with its signature.
func (r *report) appendSigned(b []byte) []byte {
	b = binary.AppendUvarint(r.append(b), uint64(len(r.signature)))
	return append(b, r.signature...)
}

func appendUints(b []byte, list []uint64) []byte {
	for _, x := range list {
		b = binary.AppendUvarint(b, x)
	}
	return b
}

func appendRanks(b []byte, set []bool) []byte {
	for _, in := range set {
		if in {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return b
}

// readReport is the inverse of report.append.
func (g *Group) readReport(b []byte) (*report, []byte, error) {
	rep, rest, err := g.readChanges(b)
	if err != nil {
		return nil, nil, err
	}
	r := reader{b: rest}
	rep.links = r.links()
	return rep, r.b, r.err
}

// readChanges is the inverse of report.appendChanges.
func (g *Group) readChanges(b []byte) (*report, []byte, error) {
	r := reader{b: b}
	rep := &report{lost: r.ranks(g.config.Ranks), joins: r.uints(g.config.Ranks), doubts: r.bool(), entered: r.uint(), streams: make([]progress, len(g.streams))}
	if rep.entered > maxEntered {
		r.err = ErrMessage
	}
	for i := range rep.streams {
		rep.streams[i] = progress{r.uint(), r.uint(), r.uint(), [2]uint64{r.uint(), r.uint()}}
		if p := rep.streams[i]; p.delivered > p.done {
			r.err = ErrMessage
		}
	}
	return rep, r.b, r.err
}

// readSigned is the inverse of report.appendSigned.
func (g *Group) readSigned(b []byte) (*report, []byte, error) {
	rep, rest, err := g.readReport(b)
	r := reader{b: rest, err: err}
	n := r.uint()
	if r.err == nil && (n > maxSignature || n > uint64(len(r.b))) {
		r.err = fmt.Errorf("%w: a signature of %d bytes", ErrMessage, n)
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	rep.signature = slices.Clone(r.b[:n])
	return rep, r.b[n:], nil
}

// append writes the lost ranks, and the reports of the remaining ones with their signatures.
func (d *decision) append(b []byte) []byte {
	b = appendRanks(appendUints(appendRanks(b, d.lost), d.joins), []bool{d.doubts})
	for _, r := range d.reports {
		if r != nil {
			b = r.appendSigned(b)
		}
	}
	return b
}

// readDecision is the inverse of decision.append, of the present epoch.
func (g *Group) readDecision(b []byte) (*decision, error) {
	r := reader{b: b}
	d := &decision{g.epoch, r.ranks(g.config.Ranks), r.uints(g.config.Ranks), r.bool(), make([]*report, g.config.Ranks)}
	rest := r.b
	if r.err != nil {
		return nil, r.err
	}
	for _, m := range g.live(d.lost) {
		rep, left, err := g.readSigned(rest)
		if err == nil && !g.isSigned(m, rep) {
			return nil, fmt.Errorf("%w: a decision by a report that rank %d has not signed", ErrMessage, m)
		}
		if err != nil || !slices.Equal(rep.lost, d.lost) || !slices.Equal(rep.joins, d.joins) || rep.doubts != d.doubts {
			return nil, fmt.Errorf("%w: a decision of %d bytes that is none", ErrMessage, len(b))
		}
		d.reports[m], rest = rep, left
	}
	if slices.ContainsFunc(d.reports, func(r *report) bool { return r != nil && r.entered != d.entry() }) {
		return nil, fmt.Errorf("%w: a decision of ranks that have not agreed on a call of %v", ErrMessage, Enter)
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%w: a decision of %d bytes, %d too many", ErrMessage, len(b), len(rest))
	}
	return d, nil
}

// reader reads numbers from untrusted bytes.
type reader struct {
	b   []byte
	err error
}

func (r *reader) uint() uint64 {
	x, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.err = nil, fmt.Errorf("%w: it ends early", ErrMessage)
		return 0
	}
	r.b = r.b[n:]
	return x
}

func (r *reader) ranks(n int) []bool {
	set := make([]bool, n)
	if len(r.b) < n {
		r.b, r.err = nil, fmt.Errorf("%w: it ends early", ErrMessage)
		return set
	}
	for i := range set {
		set[i] = r.b[i] == 1
	}
	r.b = r.b[n:]
	return set
}

func (r *reader) bool() bool { return r.ranks(1)[0] }

func (r *reader) links() (l Links) {
	if len(r.b) < linksBytes {
		r.b, r.err = nil, fmt.Errorf("%w: it ends early", ErrMessage)
		return l
	}
	var err error
	if l, err = readLinks(r.b); err != nil {
		r.err = err
	}
	r.b = r.b[linksBytes:]
	return l
}

// uints reads n numbers.
func (r *reader) uints(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = r.uint()
	}
	return list
}
