package randomprogram

// Tally counts what a search has done.
type Tally struct {
	Programs int `json:"programs"`
	Steps    int `json:"steps"`
	Refused  int `json:"refused_steps"`
	Outputs  int `json:"outputs"` // that were compared with the evaluator's
}

// Check draws the program of a seed, and checks it; see [Check].
func (t *Tally) Check(seed uint64, types *Typechecker) *Failure {
	p, refusals, f := Draw(seed)
	t.Programs++
	t.Steps += len(p.Steps)
	t.Refused += refusals
	if f != nil {
		return f
	}
	n, f := Check(p, types)
	t.Outputs += n
	return f
}

// Add adds what another search has done.
func (t *Tally) Add(u Tally) {
	t.Programs += u.Programs
	t.Steps += u.Steps
	t.Refused += u.Refused
	t.Outputs += u.Outputs
}
