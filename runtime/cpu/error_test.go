package cpu

import "testing"

// TestAxisOfAScalar holds that an axis of a scalar, which has none, is no axis out of a range.
func TestAxisOfAScalar(t *testing.T) {
	for axis, want := range map[int64]string{
		0:  "CumSum: axis is 0, and a scalar has no axes",
		-1: "CumSum: axis is -1, and a scalar has no axes",
	} {
		if err := failure(func() { splitAt("CumSum", []int64{axis}, nil) }); err == nil || err.Error() != want {
			t.Errorf("axis %d: got %v, want %s", axis, err, want)
		}
	}
	if err := failure(func() { splitAt("CumSum", []int64{2}, []int{3, 4}) }); err == nil || err.Error() != "CumSum: axis is 2, want -2 to 1" {
		t.Errorf("a matrix: %v", err)
	}
}
