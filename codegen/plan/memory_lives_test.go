package plan_test

import (
	"testing"

	"github.com/bbgen/bbgen/codegen/plan"
)

// checkLives checks that variables that live at the same time do not overlap in the arena, and that the bytes
// of those that live at the peak are those in the report.
func checkLives(t *testing.T, p *plan.Plan) {
	most := p.Memory().Peak
	atPeak := 0
	lives := p.Lives()
	for i, x := range lives {
		if x.From > x.To || x.Off+x.Bytes > p.Arena || x.Bytes > 0 && x.Place != "arena" {
			t.Errorf("%+v: want steps in order, in an arena of %d bytes", x, p.Arena)
		}
		if x.From <= most.Step && most.Step <= x.To {
			atPeak += x.Bytes
		}
		for _, y := range lives[:i] {
			together := x.Place == "arena" && y.Place == "arena" && x.From < y.To && y.From < x.To // NB: room for a result counts as its step
			if together && x.Off < y.Off+y.Bytes && y.Off < x.Off+x.Bytes {
				t.Errorf("%+v and %+v are in one place", x, y)
			}
		}
	}
	if atPeak < most.Bytes {
		t.Errorf("%d bytes live at the peak, want %d at least", atPeak, most.Bytes)
	}
}
