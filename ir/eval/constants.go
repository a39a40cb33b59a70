package eval

import "github.com/bbgen/bbgen/runtime/cpu"

// constants are the named constants of package cpu that calls use.
var constants = map[string]int{
	"ActNone":             int(cpu.ActNone),
	"ActRelu":             int(cpu.ActRelu),
	"GateAffine":          int(cpu.GateAffine),
	"GateElu":             int(cpu.GateElu),
	"GateHardSigmoid":     int(cpu.GateHardSigmoid),
	"GateLeakyRelu":       int(cpu.GateLeakyRelu),
	"GateRelu":            int(cpu.GateRelu),
	"GateScaledTanh":      int(cpu.GateScaledTanh),
	"GateSigmoid":         int(cpu.GateSigmoid),
	"GateSoftplus":        int(cpu.GateSoftplus),
	"GateSoftsign":        int(cpu.GateSoftsign),
	"GateTanh":            int(cpu.GateTanh),
	"GateThresholdedRelu": int(cpu.GateThresholdedRelu),
	"PadConstant":         int(cpu.PadConstant),
	"PadEdge":             int(cpu.PadEdge),
	"PadReflect":          int(cpu.PadReflect),
	"PadWrap":             int(cpu.PadWrap),
	"ReduceAdd":           int(cpu.ReduceAdd),
	"ReduceMax":           int(cpu.ReduceMax),
	"ReduceMin":           int(cpu.ReduceMin),
	"ReduceMul":           int(cpu.ReduceMul),
}
