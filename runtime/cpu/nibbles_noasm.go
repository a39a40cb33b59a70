//go:build !amd64 || purego

package cpu

func (t *nibblePanel) row()    { t.rowGo() }
func (t *nibblePanel) floats() { t.floatsGo() }

func (t *nibbleTile) run(rows int) { t.runGo(rows) }

func byteNibbleSpeed() int { return 1 }
