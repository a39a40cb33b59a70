//go:build !amd64 || purego

package cpu

var (
	stepAdam     stepPiece = adamGo[float32]
	stepAdamTop  stepPiece = adamGo[float32]
	stepSGD      stepPiece = sgdGo[float32]
	stepMomentum stepPiece = momentumGo[float32]
	stepNesterov stepPiece = nesterovGo[float32]
	stepAdagrad  stepPiece = adagradGo[float32]
	stepRMSprop  stepPiece = rmspropGo[float32]
	stepLion     stepPiece = lionGo[float32]
)
