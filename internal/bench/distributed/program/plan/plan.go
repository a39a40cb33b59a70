// Package plan contains the component with a peer's plan for the measured rounds.
package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// File is the name of a plan among a peer's data, as JSON.
const File = "plan.json"

// Plan is the plan of the measured rounds.
type Plan struct {
	Parameters int   // of the model
	Rounds     int64 // the number of rounds; 0: unlimited

	params tensor.Dense[float32]
	again  tensor.Dense[float32] // never modified, so that readers need not copy it
}

// Open reads the plan.
func (p *Plan) Open(env runtime.Env) error {
	if env.Data == nil {
		return errors.New("no data: want -data DIR, with " + File)
	}
	text, err := fs.ReadFile(env.Data, File)
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	p.params = tensor.DenseOf(make([]float32, p.Parameters), p.Parameters)
	return err
}

// Params returns an untrained model.
func (p *Plan) Params() (tensor.Dense[float32], error) { return p.params, nil }

// Again returns a vector of ones for each round. Zeros would be a single page, which is always in the cache.
func (p *Plan) Again(int64) (tensor.Dense[float32], error) {
	if p.again.Len() == 0 {
		p.again = tensor.NewDense[float32](p.Parameters)
		for i := range p.again.Data {
			p.again.Data[i] = 1
		}
	}
	return p.again, nil
}

// Over reports whether a round is the last.
func (p *Plan) Over(round int64) (bool, error) { return round+1 == p.Rounds, nil }

// Sent is like [Plan.Over], for peers that report the number of parameters they have received.
func (p *Plan) Sent(round, got int64) (bool, error) {
	if got != int64(p.Parameters) {
		return false, fmt.Errorf("round %d: the peer has got %d parameters, want %d", round, got, p.Parameters)
	}
	return p.Over(round)
}

// AppendBinary appends nothing: the plan is read at each start.
func (p *Plan) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary reads the output of AppendBinary.
func (p *Plan) UnmarshalBinary([]byte) error { return nil }
