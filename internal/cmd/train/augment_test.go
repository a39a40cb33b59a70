package train

import (
	"slices"
	"testing"
)

// TestAugment trains with digits and reads their mirror images, which only a training sees that mirrors some of its own.
// Two such trainings have the same bits.
func TestAugment(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program and trains with it")
	}
	data := digitsAs(t, slices.Reverse)
	how := []string{"--lr", "0.002", "--steps", "150", "--batch", "48", "--eval-every", "150", "--seed", "1"}
	end := func(args ...string) (dir string, loss float64) {
		dir = t.TempDir()
		trained(t, new(job), data, dir, append(slices.Clone(how), args...)...)
		all := metricsIn(t, dir)
		return dir, all[len(all)-1].ValLoss
	}
	_, plain := end()
	varied, loss := end("--augment", "flip,shift=1")
	if !(loss > 0 && loss < plain/2) {
		t.Errorf("the loss of mirror images is %v, and %v after a training without any", loss, plain)
	}
	if again, _ := end("--augment", "flip,shift=1"); weightsIn(t, again) != weightsIn(t, varied) {
		t.Error("two trainings with the same seed differ")
	}
	t.Logf("loss %v with mirror images, %v without", loss, plain)
}
