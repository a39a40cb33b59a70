package runtime

import "github.com/bbgen/bbgen/runtime/tensor"

// pins is the memory in which payloads stand that are parts of larger values: all of it is
// kept as long as one of them is.
type pins struct {
	payloads map[*tensor.Memory]int // that stand there
	bytes    int
}

// takes counts one more payload, unless the memory would be more than a limit.
func (p *pins) takes(m *tensor.Memory, limit int) bool {
	if p.payloads[m] == 0 {
		if len(m.Bytes()) > limit-p.bytes {
			return false
		}
		p.bytes += len(m.Bytes())
	}
	if p.payloads == nil {
		p.payloads = map[*tensor.Memory]int{}
	}
	p.payloads[m]++
	return true
}

// release forgets a payload.
func (p *pins) release(m *tensor.Memory) {
	if p.payloads[m]--; p.payloads[m] == 0 {
		delete(p.payloads, m)
		p.bytes -= len(m.Bytes())
	}
}
