package op

import "slices"

// table is every operator, family by family; [All] sorts it.
var table = slices.Concat(elementwiseOps, fusedOps, gradientOps, microsoftOps, movementOps, networkOps, sequenceOps, normOps, stepOps, tensorOps, roleOps, syscallOps, wireOps, collectiveOps)
