//go:build !(amd64 || arm64) || purego

package cpu

func quantizeWholeNBits([]byte, []float32, []nbitsBlock, int, int) int { return 0 }

func (t *nbitsPanel) row()    { t.rowGo() }
func (t *nbitsPanel) floats() { t.floatsGo() }

func (t *nbitsTile) run(rows int) { t.runGo(rows) }

func nbitsInt8Speed() int { return 1 }
