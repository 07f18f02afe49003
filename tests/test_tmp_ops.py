import time
def test_x():
    import torch; torch.set_num_threads(1)
    from tests.operators.entries import ENTRIES, shown
    from tests.operators.verdicts import verdict
    import cProfile,pstats,io
    t=time.process_time()
    p=cProfile.Profile(); p.enable()
    for e in ENTRIES[:100]: verdict(shown(e))
    p.disable(); s=io.StringIO()
    print(time.process_time()-t)
    pstats.Stats(p,stream=s).sort_stats('tottime').print_stats(12); print(s.getvalue()[:3000])
    from tests.operators import entries
    t=time.process_time()
    for e in ENTRIES[100:200]: verdict(shown(e))
    print('unprofiled',time.process_time()-t)
