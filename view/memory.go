package view

import "github.com/bbgen/bbgen/codegen/plan"

// Memory is the use of memory by a plan.
type Memory struct {
	Graph string `json:"graph"`
	*plan.Memory
	Lives   []plan.Life `json:"lives"`
	Omitted int         `json:"omitted,omitempty"` // number of lives for which the page has no room
	Blocks  []Block     `json:"blocks,omitempty"`
}

// Block is a list of steps that the plan repeats.
type Block struct {
	First string `json:"first"` // the first node of the first repetition
	Steps int    `json:"steps"`
	Count int    `json:"count"`
}

// maxLives is the largest number of lives on a page.
const maxLives = 50_000

func memoryOf(graph string, p *plan.Plan) *Memory {
	m := &Memory{Graph: graph, Memory: p.Memory(), Lives: p.Lives()}
	if n := len(m.Lives); n > maxLives {
		m.Lives, m.Omitted = m.Lives[:maxLives], n-maxLives
	}
	for _, b := range p.Blocks {
		first := ""
		if n := b.First(); n != nil {
			first = clip(n.Name)
		}
		m.Blocks = append(m.Blocks, Block{first, len(b.Steps), b.Count})
	}
	return m
}
